/** Threat 5: two things at the same instant have one outcome, and every reader tells the same one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expireAllDue } from '../../packages/server/src/gate/intents/expire.ts';
import { ON_SQLITE, type Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectInvalidPermit, expectRefused, idOf, permitOf } from './surfaces.ts';

const ACTION = 'payments.refund';
const ROUNDS = 50;
/** Of a database that is a server, for each turn: a change that stands alone asks it some ten times. */
const ANSWERS = 2;

let t: Arena;
let ann: Person;
let bob: Person;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'approver');
  bob = await t.addPerson('bob@example.org', 'approver');
  // Signed in from here on: a session is no change that a refused approval makes.
  await t.surfaces[0].approve(bob, idOf(await t.surfaces[0].create(t.first.agent_key, ACTION)));
});
afterAll(() => t.close());

/** Lets the other request go on for so many turns of the event loop, or as long as a database that is a server takes. */
async function ticks(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    if (ON_SQLITE) await new Promise((resolve) => setImmediate(resolve));
    else for (let read = 0; read < ANSWERS; read += 1) await t.gate.storage.read.findProject(t.projectId);
  }
}

/** Starts both in either order, the second up to 7 turns behind: whichever is the quicker, each wins some rounds. */
async function race<A, B>(round: number, one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  const behind = Math.floor(round / 4) % 8;
  if (round % 4 < 2) {
    const first = one();
    await ticks(behind);
    return Promise.all([first, other()]);
  }
  const first = other();
  await ticks(behind);
  return Promise.all([one(), first]);
}

const surfaceOf = (round: number) => t.surfaces[(round % 2) as 0 | 1];

/** The status of an intent, which must be the same for every reader, in every list and in the ledger. */
async function onlyOutcome(id: string): Promise<string> {
  const { agent_key: agent, secret_key: secret } = t.first;
  const reads = await Promise.all(
    t.surfaces.flatMap((surface) => [agent, secret, bob.token].map((key) => surface.read(key, id))),
  );
  const lists = await Promise.all(
    [agent, secret, bob.token].map((key) => t.call('GET', '/api/intents?limit=5', { key })),
  );
  const audit = await t.call('GET', `/v1/projects/${t.projectId}/audit?intent_id=${id}&order=asc`, {
    key: secret,
  });
  const told = (audit.body.data as { type: string }[])
    .map(({ type }) => type)
    .filter((type) => ['intent.approved', 'intent.denied', 'intent.expired'].includes(type))
    .map((type) => type.replace('intent.', ''));
  const statuses = [
    ...reads.map(({ body }) => body.status),
    ...lists.map(
      ({ body }) => (body.intents as { id: string; status: string }[]).find((one) => one.id === id)?.status,
    ),
    ...told,
  ];
  expect(told).toHaveLength(1);
  expect(new Set(statuses), statuses.join()).toEqual(new Set([told[0]]));
  expect(t.rowsOf('issued', id)).toHaveLength(told[0] === 'approved' ? 1 : 0);
  return told[0] ?? '';
}

/** How often each outcome came about: a race that always ends the same way has not been run. */
function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

it('approve and expire', async () => {
  const outcomes: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const surface = surfaceOf(round);
    const id = idOf(await surface.create(t.first.agent_key, ACTION, {}, { expires_in: 1 }));
    const approving = surface.approve(ann, id);
    await ticks(round % 10);
    t.clock.advance(1);
    const [answer] = await Promise.all([
      approving,
      expireAllDue(t.gate),
      surface.read(t.first.agent_key, id),
    ]);
    const outcome = await onlyOutcome(id);
    outcomes.push(outcome);
    if (outcome === 'approved') expect(answer.body.status).toBe('approved');
    else expectRefused(surface.name, answer, 410, 'INTENT_EXPIRED', { expired_at: t.clock.now() });
    const late = await t.expectUnchanged(() => surface.approve(bob, id));
    if (outcome === 'approved')
      expectRefused(surface.name, late, 409, 'INTENT_ALREADY_RESOLVED', { status: outcome });
    else expectRefused(surface.name, late, 410, 'INTENT_EXPIRED');
  }
  expect(tally(outcomes)).toEqual({ approved: expect.any(Number), expired: expect.any(Number) });
});

it('approve and deny', async () => {
  const outcomes: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [a, b] = [surfaceOf(round), surfaceOf(round + 1)];
    const id = idOf(await a.create(t.first.agent_key, ACTION));
    const [approval, denial] = await race(
      round,
      () => a.approve(ann, id),
      () => b.deny(bob.token, id),
    );
    const outcome = await onlyOutcome(id);
    outcomes.push(outcome);
    const [won, lost, surface] = outcome === 'approved' ? [approval, denial, b] : [denial, approval, a];
    expect(won.body.status).toBe(outcome);
    expectRefused(surface.name, lost, 409, 'INTENT_ALREADY_RESOLVED', { status: outcome });
  }
  expect(tally(outcomes)).toEqual({ approved: expect.any(Number), denied: expect.any(Number) });
});

it('withdraw and approve', async () => {
  const outcomes: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const surface = surfaceOf(round);
    const id = idOf(await surface.create(t.first.agent_key, ACTION));
    const [withdrawal, approval] = await race(
      round,
      () => t.call('POST', `/v1/intents/${id}/withdraw`, { key: t.first.agent_key, body: {} }),
      () => surface.approve(ann, id),
    );
    const outcome = await onlyOutcome(id);
    outcomes.push(outcome);
    if (outcome === 'denied') {
      expect(withdrawal.body).toMatchObject({ status: 'denied', reason: 'withdrawn' });
      expectRefused(surface.name, approval, 409, 'INTENT_ALREADY_RESOLVED', { status: 'denied' });
    } else {
      expect(approval.body.status).toBe('approved');
      expectRefused('B', withdrawal, 409, 'INTENT_ALREADY_RESOLVED', { status: 'approved' });
    }
  }
  expect(tally(outcomes)).toEqual({ approved: expect.any(Number), denied: expect.any(Number) });
});

it('pause and create: what was created stands before the pause in the ledger, and nothing after it', async () => {
  const path = `/v1/projects/${t.projectId}/agents/${t.agentId}`;
  const outcomes: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const surface = surfaceOf(round);
    const before = t.now();
    const [created, paused] = await race(
      round,
      () => surface.create(t.first.agent_key, ACTION),
      () => t.call('POST', `${path}/pause`, { key: t.owner.token }),
    );
    expect(paused.status).toBe(200);
    const types = t.written(before).map(({ type }) => type);
    if (created.status === 201) expect(types).toEqual(['intent.created', 'agent.paused']);
    else {
      expectRefused(surface.name, created, 403, 'AGENT_PAUSED');
      expect(types).toEqual(['agent.paused']);
    }
    outcomes.push(String(created.status));
    for (const held of round % 10 === 0 ? t.surfaces : []) {
      expectRefused(
        held.name,
        await t.expectUnchanged(() => held.create(t.first.agent_key, ACTION)),
        403,
        'AGENT_PAUSED',
      );
    }
    await t.call('POST', `${path}/resume`, { present: t.owner });
  }
  expect(tally(outcomes)).toEqual({ 201: expect.any(Number), 403: expect.any(Number) });
});

describe('the use of a permit', () => {
  async function newPermit(): Promise<{ id: string; token: string }> {
    const id = idOf(await t.surfaces[1].create(t.first.agent_key, ACTION, { n: 1 }));
    await t.surfaces[1].approve(ann, id);
    return { id, token: permitOf(await t.surfaces[1].read(t.first.agent_key, id)) };
  }

  it.each([
    ['the project is stopped', 'project_stopped', 'project.stopped', 'stop', 'start'],
    ['its agent is paused', 'agent_paused', 'agent.paused', 'agents/:agent/pause', 'agents/:agent/resume'],
    ['the approval is revoked', 'revoked', 'permit.revoked', null, null],
    ['policy comes to deny it', 'policy_changed', 'policy.updated', null, null],
  ])('while %s: used before it or not at all', async (_name, reason, event, ending, beginning) => {
    const root = `/v1/projects/${t.projectId}`;
    const { token: key } = t.owner;
    const { headers } = await t.owner.signIn();
    const outcomes: string[] = [];
    for (let round = 0; round < ROUNDS / 2; round += 1) {
      const surface = surfaceOf(round);
      const { id, token } = await newPermit();
      const bound = { token, action: ACTION, params: { n: 1 }, consume: true };
      const rules = [{ name: 'none', match: { action: ACTION }, effect: 'deny' }];
      const end = () => {
        if (ending) return t.call('POST', `${root}/${ending.replace(':agent', t.agentId)}`, { key });
        if (event === 'permit.revoked')
          return t.call('POST', '/v1/permits/revoke', { key, body: { intent_id: id } });
        return t.call('PUT', `${root}/policies`, {
          headers,
          body: { name: 'p', default: { approvers: ['role:approver'] }, rules },
        });
      };
      const before = t.now();
      const [used, ended] = await race(round, () => surface.verify(t.first.verifier_key, bound), end);
      expect(ended.status, ended.text).toBe(200);
      const types = t.written(before).map(({ type }) => type);
      if (used.status === 200) expect(types).toEqual(['permit.consumed', event]);
      else {
        expectInvalidPermit(surface.name, used, reason);
        expect(types).toEqual([event]);
      }
      outcomes.push(String(used.status));
      if (beginning) await t.call('POST', `${root}/${beginning.replace(':agent', t.agentId)}`, { headers });
      if (event === 'policy.updated') {
        const open = { name: 'p', default: { approvers: ['role:approver'] }, rules: [] };
        await t.call('PUT', `${root}/policies`, { headers, body: open });
      }
    }
    expect(tally(outcomes)).toEqual({ 200: expect.any(Number), 400: expect.any(Number) });
  });
});
