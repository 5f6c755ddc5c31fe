/** Several decisions at once: each by itself, and only of little weight. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { type InboxApp, openInbox } from './open-inbox.ts';

let t: InboxApp;
let ann: SignedIn;

beforeEach(async () => {
  t = await openInbox();
  ann = await t.addSession('ann@example.org', 'approver');
});
afterEach(() => t.close());

const send = (decisions: unknown, who = ann) =>
  t.call('POST', '/console/decisions', { headers: who.headers, body: { decisions } });
const statusOf = async (id: string) => (await t.gate.storage.read.findIntent(id))?.status;

describe('decisions at once', () => {
  test('are each one’s own: vote, events, permit', async () => {
    const ids = [
      await t.ask('deploy.a', { risk_tier: 'medium' }),
      await t.ask('deploy.b'),
      await t.ask('deploy.c'),
    ];
    const [a, b, c] = ids;
    const answer = await send([
      { intent_id: a, decision: 'approve' },
      { intent_id: b, decision: 'deny', reason: 'Not today.' },
      { intent_id: c, decision: 'approve', reason: 'Fine.' },
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
    expect(new Set(recorded.map(({ intentId }) => intentId))).toEqual(new Set(ids));
    expect(answer.text).not.toContain('permit');
  });

  test('one that is refused fails no other', async () => {
    const over = await t.ask('deploy.over');
    await send([{ intent_id: over, decision: 'deny' }]);
    const notMine = await t.ask('deploy.not-mine', { approvers: ['owner@example.org'] });
    const mine = await t.ask('deploy.mine');
    const { body } = await send([
      { intent_id: over, decision: 'approve' },
      { intent_id: notMine, decision: 'approve' },
      { intent_id: 'int_00000000000000000000000000', decision: 'approve' },
      { intent_id: mine, decision: 'approve' },
    ]);
    expect(body.data).toMatchObject([
      { error: { code: 'intent_already_resolved', status: 'denied' } },
      { error: { code: 'forbidden' } },
      { error: { code: 'intent_not_found' } },
      { intent_id: mine, status: 'approved' },
    ]);
    expect(await statusOf(notMine)).toBe('pending');
  });

  test('one that names the hash of something else than was asked is refused', async () => {
    const [shown, other] = [await t.ask('deploy.shown'), await t.ask('deploy.other')];
    const hashOf = async (id: string) => (await t.gate.storage.read.findIntent(id))?.intentHash;
    const { body } = await send([
      { intent_id: shown, decision: 'approve', intent_hash: await hashOf(shown) },
      { intent_id: other, decision: 'approve', intent_hash: await hashOf(shown) },
    ]);
    expect(body.data).toMatchObject([{ status: 'approved' }, { error: { code: 'conflict' } }]);
    expect(await statusOf(other)).toBe('pending');
  });

  test('those of other projects are as if there were none', async () => {
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

  test('one that weighs more refuses them all, and nothing is decided', async () => {
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
          { intent_id: light, decision },
          { intent_id: heavy, decision },
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
    ['none', []],
    [
      'more than a hundred',
      Array.from({ length: 101 }, (_, n) => ({ intent_id: `int_${n}`, decision: 'deny' })),
    ],
    ['an unknown decision', [{ intent_id: 'int_1', decision: 'maybe' }]],
    [
      'a proof, which one decision alone can rest on',
      [{ intent_id: 'int_1', decision: 'deny', proof_session_id: 'x' }],
    ],
  ])('%s: refused', async (_name, decisions) => {
    expect((await send(decisions)).status).toBe(400);
  });

  test('the same request twice: refused', async () => {
    const id = await t.ask('deploy');
    const twice = [
      { intent_id: id, decision: 'approve' },
      { intent_id: id, decision: 'deny' },
    ];
    expect((await send(twice)).status).toBe(400);
    expect(await statusOf(id)).toBe('pending');
  });

  test('a hundred of them', async () => {
    const ids = [];
    for (let n = 0; n < 100; n += 1) ids.push(await t.ask('deploy'));
    const { body } = await send(ids.map((intent_id) => ({ intent_id, decision: 'approve' })));
    expect((body.data as { status: string }[]).filter(({ status }) => status === 'approved')).toHaveLength(
      100,
    );
  });

  test('a viewer, and a page of another site: refused', async () => {
    const id = await t.ask('deploy');
    const vera = await t.addSession('vera@example.org', 'viewer');
    expect((await send([{ intent_id: id, decision: 'deny' }], vera)).status).toBe(403);
    const foreign = await t.call('POST', '/console/decisions', {
      headers: { cookie: ann.cookie, origin: 'https://evil.example' },
      body: { decisions: [{ intent_id: id, decision: 'approve' }] },
    });
    expect(foreign.status).toBe(403);
    expect(await statusOf(id)).toBe('pending');
  });
});
