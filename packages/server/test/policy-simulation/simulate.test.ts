/** POST …/policies/simulate over real connections: its differences, its access rights, and what stops it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eraseIntent } from '../../src/gate/erasure/erase-intent.ts';
import {
  type PastIntentQuery,
  toPastIntentFilter,
} from '../../src/gate/policy-management/simulation/past-intent-query.ts';
import { runSimulation } from '../../src/gate/policy-management/simulation/run-simulation.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { expectFields, expectRefusal, HASH } from '../surfaces/expect-refusal.ts';
import { allRequests, compiled, count, naiveChanges, sentence } from './naive-simulation.ts';
import {
  collect,
  DRAFT,
  IN_FORCE,
  openSimulationApp,
  type SimulationApp,
  summaryOf,
} from './open-simulation.ts';

let t: SimulationApp;
beforeEach(async () => {
  t = await openSimulationApp({ inThisThread: true });
});
afterEach(() => t.close());

const simulate = (body: object, key = t.first.secret_key) => t.call('POST', t.path, { key, body });

interface Group {
  from: { effect: string; rule: string | null };
  to: { effect: string; rule: string | null };
  direction: string;
  terms: string[];
  count: number;
  samples: string[];
}

describe('a simulation of stored intents', () => {
  test('groups the differences by rule and change, with samples', async () => {
    await t.makePast(12);
    const lines = await t.readAll({ policy: DRAFT, stored: {} });
    expect(lines.map(({ type }) => type)).toEqual(['started', 'summary']);
    expect(lines[0]).toMatchObject({
      in_force: { version: 2, hash: HASH },
      draft: { hash: HASH },
      warnings: [
        {
          path: '/rules/1/require/0',
          message: expect.stringMatching(
            /^Requires 2 approvals, but .+ can approve now: such requests are refused\.$/,
          ),
        },
      ],
    });
    const summary = summaryOf(lines);
    expect(summary).toMatchObject({
      complete: true,
      scanned: 72,
      evaluated: 72,
      outcomes: {
        in_force: { allow: 24, require_approval: 36, deny: 12 },
        draft: { allow: 12, require_approval: 60, deny: 0 },
      },
      changes: { changed: 48, stricter: 36, looser: 12, mixed: 0, ungrouped: 0 },
    });
    const { groups } = summary.changes as { groups: Group[] };
    expect(groups.map(({ samples: _, ...group }) => group)).toEqual(
      expect.arrayContaining([
        {
          from: { effect: 'allow', rule: 'small refunds' },
          to: { effect: 'require_approval', rule: 'big refunds' },
          direction: 'stricter',
          terms: [],
          count: 12,
        },
        {
          from: { effect: 'require_approval', rule: null },
          to: { effect: 'require_approval', rule: 'big refunds' },
          direction: 'stricter',
          terms: ['requirement'],
          count: 24,
        },
        {
          from: { effect: 'deny', rule: 'no drops' },
          to: { effect: 'require_approval', rule: 'drops are asked about' },
          direction: 'looser',
          terms: [],
          count: 12,
        },
      ]),
    );
    expect(groups).toHaveLength(3);
    expect(groups[0]?.count).toBe(24);
    for (const { samples } of groups) expect(samples).toHaveLength(10);
    const freed = groups.find(({ from }) => from.rule === 'no drops')?.samples ?? [];
    for (const id of freed) {
      expect((await t.gate.storage.read.findIntent(id))?.action).toBe('database.drop');
    }
  });

  test('agrees with a recomputation one by one', async () => {
    await t.makePast(5);
    const { changes } = summaryOf(await t.readAll({ policy: DRAFT, stored: {} }));
    const found = Object.fromEntries(
      (changes as { groups: Group[] }).groups.map((group) => [
        sentence(group.from, group.to, group.direction, group.terms),
        group.count,
      ]),
    );
    const requests = await allRequests(t.gate.storage.read, t.projectId);
    expect(found).toEqual(count(naiveChanges(requests, compiled(IN_FORCE), compiled(DRAFT))));
  });

  test('groups the draft’s outcomes by how the intents ended, which shows the decisions of people', async () => {
    await t.makePast(2);
    const { read } = t.gate.storage;
    const pending = await read.listIntents({ projectIds: [t.projectId], limit: 50, status: 'pending' });
    const of = (action: string) => pending.filter((intent) => intent.action === action);
    const decide = async (intent: { id: string }, decision: string) => {
      const url = `/v1/intents/${intent.id}/${decision}`;
      expect((await t.call('POST', url, { key: t.owner.token, body: {} })).status).toBe(200);
    };
    const [first, second, third] = of('payments.refund');
    const [mail] = of('mail.send');
    if (!first || !second || !third || !mail) throw new Error('refunds and mails are asked about');
    await decide(first, 'approve');
    await decide(second, 'deny');
    await decide(mail, 'approve');
    const { became } = summaryOf(await t.readAll({ policy: DRAFT, stored: {} }));
    const none = { allow: 0, require_approval: 0, deny: 0 };
    expect(became).toEqual({
      allowed: { allow: 2, require_approval: 2, deny: 0 },
      approved: { ...none, require_approval: 2 },
      denied: { ...none, require_approval: 1 },
      expired: none,
      pending: { ...none, require_approval: 3 },
      refused: { ...none, require_approval: 2 },
    });
    const mails = { name: 'mails', match: { action: 'mail.*' }, effect: 'allow' };
    const freely = summaryOf(await t.readAll({ policy: { ...DRAFT, rules: [mails] }, stored: {} }));
    expect(freely.became).toMatchObject({ approved: { allow: 1 }, pending: { allow: 1 } });
  });

  test('counts failed conditions by rule, for each of the two policies', async () => {
    await t.makePast(3);
    const { failures } = summaryOf(await t.readAll({ policy: DRAFT, stored: {} }));
    const failure = { message: expect.stringContaining('amount'), count: 3, samples: expect.any(Array) };
    expect(failures).toHaveLength(3);
    expect(failures).toEqual(
      expect.arrayContaining([
        { policy: 'in_force', rule: 'small refunds', ...failure },
        { policy: 'draft', rule: 'tiny refunds', ...failure },
        { policy: 'draft', rule: 'big refunds', ...failure },
      ]),
    );
  });

  test('without a draft, compares the active policy with the outcomes at creation', async () => {
    await t.makePast(2);
    await t.put(DRAFT);
    const summary = summaryOf(await t.readAll({ stored: {} }));
    expect(summary.changes).toMatchObject({ changed: 0, groups: [] });
    expect(summary.since_made).toMatchObject({ changed: 4, stricter: 2, looser: 2 });
    const { groups } = summary.since_made as { groups: Group[] };
    expect(
      groups.map(({ from, to }) => `${from.rule} ${from.effect} -> ${to.effect} ${to.rule}`).toSorted(),
    ).toEqual([
      'no drops deny -> require_approval drops are asked about',
      'small refunds allow -> require_approval big refunds',
    ]);
  });

  test('evaluates each intent at the time of its creation, not now', async () => {
    t.clock.set('2026-11-20T02:00:00.000Z');
    await t.makePast(1);
    t.clock.set('2026-11-20T14:00:00.000Z');
    await t.makePast(1);
    const atNight = {
      ...IN_FORCE,
      rules: [
        { name: 'not at night', match: { action: 'mail.send' }, when: 'now.getHours() < 6', effect: 'deny' },
      ],
    };
    const { changes } = summaryOf(await t.readAll({ policy: atNight, stored: { action: 'mail.send' } }));
    expect(changes).toMatchObject({ changed: 1, groups: [{ to: { rule: 'not at night' }, count: 1 }] });
  });

  test('trusts an agent only for its own key, and uses its current registration', async () => {
    await t.makePast(1);
    await t.call('POST', '/v1/intents', {
      key: t.first.secret_key,
      body: { action: 'mail.send', source: t.agent.agent.name },
    });
    await t.call('PATCH', `/v1/projects/${t.projectId}/agents/${t.agentId}`, {
      key: t.first.secret_key,
      body: { labels: { team: 'post' } },
    });
    const ofTeam = {
      ...IN_FORCE,
      rules: [
        {
          name: 'post office',
          match: { action: 'mail.send' },
          when: "agent != null && agent.labels.team == 'post'",
          effect: 'allow',
        },
      ],
    };
    const { changes } = summaryOf(await t.readAll({ policy: ofTeam, stored: { action: 'mail.send' } }));
    expect(changes).toMatchObject({ changed: 1, groups: [{ to: { rule: 'post office' }, count: 1 }] });
  });

  test('filters by time, action, status and number, newest first', async () => {
    t.clock.set('2026-11-20T10:00:00.000Z');
    await t.makePast(2);
    t.clock.set('2026-11-20T11:00:00.000Z');
    await t.makePast(3);
    const result = async (stored: PastIntentQuery) => {
      const job = {
        projectId: t.projectId,
        inForce: IN_FORCE,
        draft: DRAFT,
        against: { kind: 'stored' as const, ...toPastIntentFilter(stored) },
        timeLimitMs: 60_000,
      };
      const reports = await collect(runSimulation(t.gate.storage.read, job, () => performance.now()));
      const last = reports.at(-1);
      if (last?.kind !== 'finished') throw new Error('not finished');
      return last.result;
    };
    const looked = async (stored: PastIntentQuery) => {
      const { scanned, evaluated } = await result(stored);
      return { scanned, evaluated };
    };
    expect(await looked({})).toEqual({ scanned: 30, evaluated: 30 });
    expect(await looked({ from: '2026-11-20T11:00:00Z' })).toEqual({ scanned: 30, evaluated: 18 });
    expect(await looked({ to: '2026-11-20T12:00:00+01:00' })).toEqual({ scanned: 30, evaluated: 12 });
    expect(await looked({ from: '2026-11-21' })).toEqual({ scanned: 30, evaluated: 0 });
    expect(await looked({ action: 'payments.*|mail.send' })).toEqual({ scanned: 30, evaluated: 25 });
    expect(await looked({ status: 'denied' })).toEqual({ scanned: 5, evaluated: 5 });
    expect(await looked({ status: 'resolved' })).toEqual({ scanned: 15, evaluated: 15 });
    expect(await looked({ limit: 7 })).toEqual({ scanned: 7, evaluated: 7 });
    const [group] = (await result({ action: 'database.*', limit: 1 })).changes.groups;
    const newest = await t.gate.storage.read.findIntent(String(group?.samples[0]));
    expect(newest).toMatchObject({ action: 'database.drop', createdAt: '2026-11-20T11:00:02.000Z' });
  });

  test('applies the filter of the request', async () => {
    await t.makePast(2);
    const lines = await t.readAll({
      policy: DRAFT,
      stored: { action: 'mail.send', status: 'pending', limit: 1 },
    });
    expect(summaryOf(lines)).toMatchObject({ evaluated: 1, changes: { changed: 0 } });
  });

  test('skips and counts intents whose texts were erased, which can no longer be evaluated', async () => {
    await t.makePast(2);
    const drops = (await t.gate.storage.read.listIntents({ projectIds: [t.projectId], limit: 50 })).filter(
      ({ action }) => action === 'database.drop',
    );
    const [gone, kept] = drops.map(({ id }) => id);
    if (gone === undefined) throw new Error('a drop was made');
    await eraseIntent(t.gate, OPERATOR, { projectId: t.projectId, intentId: gone });
    const summary = summaryOf(await t.readAll({ policy: DRAFT, stored: { action: 'database.*' } }));
    expect(summary).toMatchObject({
      scanned: 12,
      evaluated: 1,
      skipped: 1,
      changes: { changed: 1, groups: [{ count: 1, samples: [kept] }] },
      since_made: { changed: 1 },
      failures: [],
    });
    // A skipped intent does not count towards the limit.
    const newest = summaryOf(await t.readAll({ stored: { action: 'database.*', limit: 1 } }));
    expect(newest).toMatchObject({ evaluated: 1, skipped: 1 });
    expect(summaryOf(await t.readAll({ stored: { action: 'mail.*' } }))).toMatchObject({ skipped: 0 });
  });

  test('reads nothing of another project', async () => {
    await t.makePast(1);
    const { project } = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'test',
      ownerEmail: 'other@example.org',
    });
    const other = await t.addPerson('admin@example.org', 'admin');
    expect((await simulate({ stored: {} }, other.token)).status).toBe(200);
    const foreign = await t.call('POST', `/v1/projects/${project.id}/policies/simulate`, {
      key: t.first.secret_key,
      body: { stored: {} },
    });
    expectRefusal(foreign, 404, 'project_not_found');
  });

  test('writes nothing: no event, no revision, no policy', async () => {
    await t.makePast(1);
    const before = [await t.events(t.projectId), await t.project()];
    await t.readAll({ policy: DRAFT, stored: {} });
    await simulate({ policy: DRAFT, intents: [{ action: 'mail.send' }] });
    expect([await t.events(t.projectId), await t.project()]).toEqual(before);
  });
});

describe('a simulation of given intents', () => {
  test('answers in the order of the intents, as they would be decided', async () => {
    const { status, body } = await simulate({
      policy: DRAFT,
      intents: [
        { action: 'payments.refund', params: { amount: 75 } },
        { action: 'payments.refund', params: { amount: 5 }, agent_id: t.agentId },
        { action: 'payments.refund', params: { amount: 5 }, proof_tier: 'passkey' },
        { action: 'database.drop', risk_tier: 'high' },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      complete: true,
      evaluated: 4,
      changes: { changed: 2, stricter: 1, looser: 1 },
      failures: [],
    });
    expect(body.intents).toMatchObject([
      {
        in_force: { effect: 'allow', rule: 'small refunds' },
        draft: { effect: 'require_approval', requirement: [{ from: ['role:approver'], count: 2 }] },
      },
      { in_force: { effect: 'allow' }, draft: { effect: 'allow', rule: 'tiny refunds' } },
      {
        in_force: { effect: 'require_approval', rule: null, proof_tier: 'passkey' },
        draft: { effect: 'require_approval', rule: null },
      },
      {
        in_force: { effect: 'deny', reason: 'Not by an agent.', risk_tier: 'high' },
        draft: { effect: 'require_approval' },
      },
    ]);
    const { groups } = body.changes as { groups: Group[] };
    expect(groups.map(({ samples }) => samples)).toEqual([['/intents/0'], ['/intents/3']]);
  });

  test('accepts a creation time for each intent', async () => {
    const atNight = {
      ...IN_FORCE,
      rules: [{ name: 'not at night', when: 'now.getHours() < 6', effect: 'deny' }],
    };
    const { body } = await simulate({
      policy: atNight,
      intents: [
        { action: 'a', at: '2026-11-20T03:00:00Z' },
        { action: 'a', at: '2026-11-20T07:00:00Z' },
        { action: 'a' },
      ],
    });
    expect((body.intents as { draft: { effect: string } }[]).map(({ draft }) => draft.effect)).toEqual([
      'deny',
      'require_approval',
      'require_approval',
    ]);
  });

  test('refuses an unregistered agent, another agent’s name or an invalid time', async () => {
    const refused = await simulate({
      intents: [
        { action: 'a', agent_id: 'agt_00000000000000000000000000' },
        { action: 'a', agent_id: t.agentId, source: 'somebody' },
      ],
    });
    expectFields(refused, 'invalid_request', '/intents/0/agent_id', '/intents/1/source');
    const late = await simulate({ intents: [{ action: 'a', at: 'tomorrow' }] });
    expectFields(late, 'invalid_request', '/intents/0/at');
  });
});

describe('a simulation request', () => {
  test('with a draft that does not parse is refused with the places of the problems, before any line', async () => {
    const draft = { ...IN_FORCE, rules: [{ name: 'x', when: 'parms.a', effect: 'deny' }] };
    expectFields(await simulate({ policy: draft, stored: {} }), 'invalid_request', '/policy/rules/0/when');
    expectFields(
      await simulate({ policy: { name: 'x' }, stored: {} }),
      'invalid_request',
      '/policy/default',
      '/policy/rules',
    );
  });

  test('with a draft that names unknown approvers runs, and the answer warns that it cannot be published', async () => {
    const draft = { ...IN_FORCE, default: { approvers: ['treasury'] } };
    const { status, body } = await simulate({ policy: draft, intents: [{ action: 'a' }] });
    expect(status).toBe(200);
    expect(body.warnings).toEqual(
      expect.arrayContaining([{ path: '', message: expect.stringContaining('treasury') }]),
    );
    expect(body.changes).toMatchObject({ changed: 1, mixed: 1, groups: [{ terms: ['requirement'] }] });
  });

  test.each([
    ['neither', {}, ['']],
    ['both', { intents: [{ action: 'a' }], stored: {} }, ['']],
    ['no intents', { intents: [] }, ['/intents']],
    ['too many intents', { intents: Array.from({ length: 1001 }, () => ({ action: 'a' })) }, ['/intents']],
    ['an unknown member', { stored: { since: '2026-01-01' } }, ['/stored/since']],
    ['a wrong time', { stored: { from: 'yesterday' } }, ['/stored/from']],
    ['a wrong pattern', { stored: { action: 'a*b' } }, ['/stored/action']],
    ['no number', { stored: { limit: 0 } }, ['/stored/limit']],
    ['a wrong status', { stored: { status: 'done' } }, ['/stored/status']],
  ])('with %s is refused', async (_what, body, paths) => {
    expectFields(await simulate(body), 'invalid_request', ...paths);
  });
});

describe('access to simulations', () => {
  test('is refused to agents, verifiers, viewers and approvers', async () => {
    const viewer = await t.addPerson('viewer@example.org', 'viewer');
    const approver = await t.addPerson('approver@example.org', 'approver');
    for (const key of [t.first.agent_key, t.first.verifier_key, viewer.token, approver.token]) {
      expectRefusal(await simulate({ stored: {} }, key), 403, 'forbidden', { required: 'policies:simulate' });
    }
    expectRefusal(await t.call('POST', t.path, { body: { stored: {} } }), 401, 'unauthorized');
  });

  test('is granted to an admin with a token that only reads', async () => {
    const admin = await t.addPerson('admin@example.org', 'admin', []);
    expect((await simulate({ intents: [{ action: 'a' }] }, admin.token)).status).toBe(200);
  });
});
