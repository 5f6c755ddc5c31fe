/** A batch of decisions from the inbox: each is recorded separately, and high-risk requests are excluded. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { withdrawIntent } from '../../src/gate/intents/withdraw.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { asShown } from '../fixtures/as-shown.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { type InboxApp, openInbox } from './open-inbox.ts';

let t: InboxApp;
let ann: SignedIn;

beforeEach(async () => {
  t = await openInbox();
  ann = await t.addSession('ann@example.org', 'approver');
  await t.known('deploy', 'drop', 'payments.refund', 'mail.send');
});
afterEach(() => t.close());

const send = (decisions: unknown, who = ann) =>
  t.call('POST', '/console/decisions', { headers: who.headers, body: { decisions } });
/** An approval as the list sends it: with the hash of the displayed row. */
const approval = async (id: string) => ({
  intent_id: id,
  decision: 'approve',
  ...(await asShown(t.gate, id)),
});
const statusOf = async (id: string) => (await t.gate.storage.read.findIntent(id))?.status;

describe('a batch of decisions', () => {
  test('records each decision separately, and is answered without permits', async () => {
    const ids = [
      await t.ask('deploy', { risk_tier: 'medium', params: { n: 1 } }),
      await t.ask('deploy', { params: { n: 2 } }),
      await t.ask('deploy', { params: { n: 3 } }),
    ];
    const [a = '', b, c = ''] = ids;
    const answer = await send([
      await approval(a),
      { intent_id: b, decision: 'deny', reason: 'Not today.' },
      { ...(await approval(c)), reason: 'Fine.' },
    ]);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        data: [
          { intent_id: a, status: 'approved' },
          { intent_id: b, status: 'denied' },
          { intent_id: c, status: 'approved' },
        ],
      },
    ]);
    expect(await t.gate.storage.read.findIntent(String(b))).toMatchObject({
      status: 'denied',
      resolvedBy: 'ann@example.org',
      reason: 'Not today.',
    });
    const recorded = await t.events(t.projectId, 'approval.recorded');
    expect(recorded.map(({ intentId }) => intentId)).toEqual(expect.arrayContaining(ids));
    expect(answer.text).not.toContain('permit');
  });

  test('decides the other requests when one is refused', async () => {
    const over = await t.ask('deploy', { params: { n: 1 } });
    await send([{ intent_id: over, decision: 'deny' }]);
    const notMine = await t.ask('deploy', { approvers: ['owner@example.org'] });
    const mine = await t.ask('deploy', { params: { n: 2 } });
    const { body } = await send([
      await approval(over),
      await approval(notMine),
      { ...(await approval(mine)), intent_id: 'int_00000000000000000000000000' },
      await approval(mine),
    ]);
    expect(body.data).toMatchObject([
      { error: { code: 'intent_already_resolved', status: 'denied' } },
      { error: { code: 'forbidden' } },
      { error: { code: 'intent_not_found' } },
      { intent_id: mine, status: 'approved' },
    ]);
    expect(await statusOf(notMine)).toBe('pending');
  });

  test('refuses an approval that carries the hash of another request', async () => {
    const [shown, other] = [await t.ask('deploy'), await t.ask('deploy', { params: { n: 2 } })];
    const { body } = await send([await approval(shown), { ...(await approval(shown)), intent_id: other }]);
    expect(body.data).toMatchObject([{ status: 'approved' }, { error: { code: 'conflict' } }]);
    expect(await statusOf(other)).toBe('pending');
  });

  test('is refused as a whole if an approval lacks the hash of the displayed request', async () => {
    const [named, unnamed] = [await t.ask('deploy'), await t.ask('deploy')];
    const answer = await send([
      await approval(named),
      { intent_id: unnamed, decision: 'approve' },
      { intent_id: 'int_00000000000000000000000000', decision: 'approve' },
    ]);
    expect([answer.status, answer.body.error]).toMatchObject([
      400,
      {
        code: 'invalid_request',
        fields: [{ path: '/decisions/1/intent_hash' }, { path: '/decisions/2/intent_hash' }],
      },
    ]);
    expect([await statusOf(named), await statusOf(unnamed)]).toEqual(['pending', 'pending']);
  });

  test('treats requests of other projects as if they did not exist', async () => {
    const id = await t.ask('deploy');
    await createProject(t.gate, OPERATOR, { name: 'Other', mode: 'live', ownerEmail: 'otto@example.org' });
    const otto = await t.gate.storage.read.findUserByEmail('otto@example.org');
    const { body } = await send(
      [{ intent_id: id, decision: 'deny' }],
      await signedIn(t.gate, String(otto?.id)),
    );
    expect(body.data).toMatchObject([{ error: { code: 'intent_not_found' } }]);
    expect(await statusOf(id)).toBe('pending');
  });

  test('is refused as a whole if a request has high risk or requires a device key or passkey', async () => {
    const light = await t.ask('deploy');
    for (const weight of [
      { risk_tier: 'high' },
      { risk_tier: 'critical' },
      { proof_tier: 'device' },
      { proof_tier: 'passkey' },
    ]) {
      const heavy = await t.ask('drop', weight);
      for (const decision of ['approve', 'deny']) {
        const answer = await send([
          { intent_id: light, decision, ...(await asShown(t.gate, light)) },
          { intent_id: heavy, decision, ...(await asShown(t.gate, heavy)) },
        ]);
        expect([answer.status, answer.body.error]).toMatchObject([
          400,
          { code: 'invalid_request', fields: [{ path: '/decisions/1/intent_id' }] },
        ]);
      }
      expect([await statusOf(light), await statusOf(heavy)]).toEqual(['pending', 'pending']);
    }
  });

  test.each([
    ['parameters longer than a row', { note: 'x'.repeat(200) }, {}],
    ['parameters nested deeper than a row shows', { a: { b: { c: 1 } } }, {}],
    ['more values than a row shows', { list: Array.from({ length: 13 }, (_, n) => n) }, {}],
    ['an invisible character', { to: 'bob\u200b@example.org' }, {}],
    ['a direction mark in a name', { 'to\u202e': 1 }, {}],
    ['a look-alike', { to: 'p\u0430ypal' }, {}],
    ['a line break', { text: 'one\ntwo' }, {}],
    ['an invisible character in its explanation', {}, { why: 'ok', more: 'a\u2066b' }],
    ['an explanation that is cut', {}, { why: 'x'.repeat(300) }],
  ])(
    'does not approve a request with %s, but can deny it and approves the others',
    async (_what, params, metadata) => {
      const [odd, plain] = [
        await t.ask('deploy', { params, metadata }),
        await t.ask('deploy', { params: { n: 1 } }),
      ];
      const { body } = await send([await approval(odd), await approval(plain)]);
      expect(body.data).toMatchObject([
        { error: { code: 'invalid_request', fields: [{ path: '/intent_id' }] } },
        { status: 'approved' },
      ]);
      expect(await t.gate.storage.read.findIntent(odd)).toMatchObject({ status: 'pending', revision: 0 });
      const [item] = (await t.list(ann)).items;
      expect(item).toMatchObject({ id: odd, can_decide: true, in_place: false });
      expect(item?.own_page).toMatch(/^(cut|marked)$/);
      expect((await send([{ intent_id: odd, decision: 'deny' }])).body.data).toMatchObject([
        { status: 'denied' },
      ]);
    },
  );

  test('does not approve an action that no person has approved before', async () => {
    const id = await t.ask('new.action');
    expect((await t.list(ann)).items).toMatchObject([{ in_place: false, own_page: 'first_approval' }]);
    const refused = await send([await approval(id)]);
    expect(refused.body.data).toMatchObject([{ error: { code: 'invalid_request' } }]);
    expect(await statusOf(id)).toBe('pending');
    await t.known('new.action');
    expect((await t.list(ann)).items).toMatchObject([{ in_place: true, own_page: null }]);
    expect((await send([await approval(id)])).body.data).toMatchObject([{ status: 'approved' }]);
  });

  test('does not approve a request if an identical one was approved in the same batch or the last 24 hours', async () => {
    const same = { params: { order: 'A-1' } };
    const [one, twin] = [await t.ask('deploy', same), await t.ask('deploy', same)];
    const { body } = await send([await approval(one), await approval(twin)]);
    expect(body.data).toMatchObject([{ status: 'approved' }, { error: { code: 'invalid_request' } }]);
    expect([await statusOf(twin), await t.gate.storage.read.listApprovals(twin)]).toEqual(['pending', []]);
    expect((await t.list(ann)).items).toMatchObject([{ in_place: false, own_page: 'approved_lately' }]);
    const again = await send([await approval(twin)]);
    expect(again.body.data).toMatchObject([{ error: { code: 'invalid_request' } }]);
    t.clock.advance(24 * 60 * 60 + 1);
    const later = await t.ask('deploy', same);
    ann = await signedIn(t.gate, String((await t.gate.storage.read.findUserByEmail('ann@example.org'))?.id));
    expect((await send([await approval(later)])).body.data).toMatchObject([{ status: 'approved' }]);
  });

  test('approves only one of two identical requests, even when two batches run at once', async () => {
    const others = await t.addSession('bob@example.org', 'approver');
    for (let round = 0; round < 10; round += 1) {
      const same = { params: { order: round } };
      const twins = [await t.ask('deploy', same), await t.ask('deploy', same)];
      const [one, two] = await Promise.all(twins.map(approval));
      const answers = await Promise.all([send([one]), send([two], others)]);
      const outcomes = answers.flatMap(({ body }) => body.data as { status?: string; error?: object }[]);
      expect(outcomes.filter(({ status }) => status === 'approved')).toHaveLength(1);
      expect(outcomes.find(({ error }) => error)?.error).toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('identical request was approved'),
      });
      expect((await Promise.all(twins.map(statusOf))).toSorted()).toEqual(['approved', 'pending']);
    }
  });

  test('reports a request as already decided when another batch approves it at the same moment', async () => {
    const others = await t.addSession('bob@example.org', 'approver');
    for (let round = 0; round < 10; round += 1) {
      const one = await approval(await t.ask('deploy', { params: { order: round } }));
      const answers = await Promise.all([send([one]), send([one], others)]);
      const outcomes = answers.flatMap(({ body }) => body.data as { error?: { code: string } }[]);
      expect(outcomes.map(({ error }) => error?.code).toSorted()).toEqual([
        'intent_already_resolved',
        undefined,
      ]);
    }
  });

  test('does not count approvals by policy as earlier approvals of an action', async () => {
    const rule = { name: 'small', match: { action: 'refund' }, when: 'params.amount < 5', effect: 'allow' };
    await putPolicy(t.gate, OPERATOR, {
      projectId: t.projectId,
      document: { name: 'p', default: { approvers: ['role:approver'] }, rules: [rule] },
    });
    await t.ask('refund', { params: { amount: 1 } });
    await t.ask('refund', { params: { amount: 7 } });
    expect((await t.list(ann)).items).toMatchObject([{ own_page: 'first_approval' }]);
  });

  test.each([
    ['no decisions', []],
    [
      'more than a hundred decisions',
      Array.from({ length: 101 }, (_, n) => ({ intent_id: `int_${n}`, decision: 'deny' })),
    ],
    ['an unknown decision', [{ intent_id: 'int_1', decision: 'maybe' }]],
    [
      'a proof session, which covers only a single decision',
      [{ intent_id: 'int_1', decision: 'deny', proof_session_id: 'x' }],
    ],
  ])('is refused with %s', async (_name, decisions) => {
    expect((await send(decisions)).status).toBe(400);
  });

  test('is refused if it names the same request twice', async () => {
    const id = await t.ask('deploy');
    const twice = [await approval(id), { intent_id: id, decision: 'deny' }];
    expect((await send(twice)).status).toBe(400);
    expect(await statusOf(id)).toBe('pending');
  });

  test('can approve a hundred requests', async () => {
    const ids = [];
    for (let n = 0; n < 100; n += 1) ids.push(await t.ask('deploy', { params: { n } }));
    const { body } = await send(await Promise.all(ids.map(approval)));
    expect((body.data as { status: string }[]).filter(({ status }) => status === 'approved')).toHaveLength(
      100,
    );
  });

  test('is refused from a viewer, and from a page of another site', async () => {
    const id = await t.ask('deploy');
    const vera = await t.addSession('vera@example.org', 'viewer');
    expect((await send([{ intent_id: id, decision: 'deny' }], vera)).status).toBe(403);
    const foreign = await t.call('POST', '/console/decisions', {
      headers: { cookie: ann.cookie, origin: 'https://evil.example' },
      body: { decisions: [await approval(id)] },
    });
    expect(foreign.status).toBe(403);
    expect(await statusOf(id)).toBe('pending');
  });
});

describe('a request that repeats a recently denied one', () => {
  const params = { amount: 5, to: 'acct_1' };
  const ask = (more: object = {}) => t.ask('payments.refund', { params, ...more });
  const denyAsOwner = (intentId: string, reason = 'Not to this account.') =>
    decideIntent(t.gate, t.owner.caller, { intentId, decision: 'deny', reason });
  const itemOf = async (id: string) => (await t.list(ann)).items.find((item) => item.id === id);
  const approve = async (...ids: string[]) => {
    const decisions = ids.map(async (id) => ({
      intent_id: id,
      decision: 'approve',
      ...(await asShown(t.gate, id)),
    }));
    return send(await Promise.all(decisions));
  };

  test('shows who denied the earlier one and why, even with another requester, and cannot be approved in the list', async () => {
    const denied = await ask();
    await denyAsOwner(denied);
    const service = await t.addService('owner@example.org');
    const body = { action: 'payments.refund', params };
    const made = await t.call('POST', '/v1/intents', { key: service.key, body });
    const id = String(made.body.id);
    const said = {
      intent_id: denied,
      by: 'owner@example.org',
      at: t.clock.now(),
      reason: 'Not to this account.',
    };
    expect(await itemOf(id)).toMatchObject({ denied_lately: said, can_decide: true, in_place: false });
    const shown = await t.call('GET', `/console/intents/${id}`, { headers: ann.headers });
    expect(shown.body).toMatchObject({ denied_lately: said, can_approve: true });
  });

  test('cannot be approved in a batch, but can be denied in one', async () => {
    await denyAsOwner(await ask());
    const [again, other, third] = [await ask(), await t.ask('deploy'), await ask()];
    const { status, body } = await approve(again, other);
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      {
        intent_id: again,
        error: { code: 'conflict', message: expect.stringContaining('owner@example.org') },
      },
      { intent_id: other, status: 'approved' },
    ]);
    expect([await statusOf(again), await t.gate.storage.read.listApprovals(again)]).toEqual(['pending', []]);
    expect((await send([{ intent_id: third, decision: 'deny' }])).body.data).toMatchObject([
      { status: 'denied' },
    ]);
  });

  test('can be approved on its own page', async () => {
    await denyAsOwner(await ask());
    const id = await ask();
    const answer = await t.call('POST', `/v1/intents/${id}/approve`, {
      headers: ann.headers,
      body: await asShown(t.gate, id),
    });
    expect(answer.body).toMatchObject({ status: 'approved' });
  });

  test('counts as new with other parameters, or after seven days', async () => {
    await denyAsOwner(await ask());
    expect(await itemOf(await ask({ params: { ...params, amount: 6 } }))).toMatchObject({
      denied_lately: null,
      in_place: true,
    });
    t.clock.advance(7 * 24 * 60 * 60);
    ann = await signedIn(t.gate, String((await t.gate.storage.read.findUserByEmail('ann@example.org'))?.id));
    expect(await itemOf(await ask())).toMatchObject({ denied_lately: { by: 'owner@example.org' } });
    t.clock.advance(1);
    const id = await ask();
    expect(await itemOf(id)).toMatchObject({ denied_lately: null, in_place: true });
    expect((await approve(id)).body.data).toMatchObject([{ status: 'approved' }]);
  });

  test('is not marked if the earlier one was withdrawn or denied by policy', async () => {
    await withdrawIntent(t.gate, t.agent, await ask());
    const { projectId } = t;
    const rules = [{ name: 'no', match: { action: 'payments.refund' }, effect: 'deny' }];
    const fallback = { approvers: ['role:approver'] };
    await putPolicy(t.gate, OPERATOR, { projectId, document: { name: 'p', default: fallback, rules } });
    const refused = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action: 'payments.refund', params },
    });
    expect(refused.status).toBe(403);
    await putPolicy(t.gate, OPERATOR, { projectId, document: { name: 'p', default: fallback, rules: [] } });
    expect(await itemOf(await ask())).toMatchObject({ denied_lately: null });
  });

  test('is approved before the denial or refused after it when both happen at the same moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const amount = { params: { amount: round } };
      const [one, other] = [await t.ask('mail.send', amount), await t.ask('mail.send', amount)];
      const [batch] = await Promise.all([approve(other), denyAsOwner(one)]);
      const approved = (await t.gate.storage.read.findIntent(other))?.status === 'approved';
      expect(await statusOf(one)).toBe('denied');
      expect(batch.body.data).toMatchObject([
        approved ? { status: 'approved' } : { error: { code: 'conflict' } },
      ]);
      // Afterwards no batch approves an identical request.
      const [late] = (await approve(await t.ask('mail.send', amount))).body.data as { error?: unknown }[];
      expect(late?.error).toMatchObject({ code: 'conflict' });
    }
  });
});
