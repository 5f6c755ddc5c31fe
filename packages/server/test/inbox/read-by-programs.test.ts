/**
 * What `permitry inbox` and `permitry show` read with a person's token or a secret key: the same view as the pages'.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type InboxApp, openInbox } from './open-inbox.ts';

let t: InboxApp;
beforeEach(async () => {
  t = await openInbox();
});
afterEach(() => t.close());

const read = (path: string, key: string) => t.call('GET', path, { key });

describe('reading the inbox with a token or key', () => {
  test('shows the list and whole requests, with what that token or key may decide', async () => {
    const id = await t.ask('payments.refund', { params: { amount: 5 }, metadata: { reason: 'asked' } });
    const ann = await t.addPerson('ann@example.org', 'approver');
    const reader = await t.addPerson('bob@example.org', 'approver', []);
    const service = await t.addService(ann.email);

    for (const [key, can, mayDeny, whyNot] of [
      // Ann can decide with a proof by her device key.
      [ann.token, true, true, null],
      [service.key, false, true, 'person_required'],
      [reader.token, false, false, 'viewer'],
    ] as const) {
      const list = await read('/console/inbox', key);
      expect(list.body).toMatchObject({ data: [{ id, can_decide: can }], pending_total: 1 });
      const one = await read(`/console/intents/${id}`, key);
      expect(one.body).toMatchObject({
        id,
        canonical_params: '{"amount":5}',
        intent_hash: expect.stringMatching(/^sha256:/),
        can_approve: can,
        can_deny: mayDeny,
        why_not: whyNot,
      });
      expect(one.text).not.toContain('permit_token');
    }
  });

  test('offers no approval of a request that another key of the same person sent', async () => {
    const ann = await t.addPerson('ann@example.org', 'approver');
    const service = await t.addService(ann.email);
    const { body } = await t.call('POST', '/v1/intents', { key: service.key, body: { action: 'deploy' } });
    const mine = `/console/intents/${String(body.id)}`;
    expect((await read(mine, ann.token)).body).toMatchObject({
      can_approve: false,
      why_not: 'person_required',
    });
    const vote = await t.call('POST', `/v1/intents/${String(body.id)}/approve`, { key: ann.token, body: {} });
    expect(vote.status).toBe(403);
  });

  test('is refused to agents and executors, and treats another project as if it did not exist', async () => {
    const id = await t.ask('deploy');
    for (const key of [t.first.agent_key, t.first.verifier_key]) {
      for (const path of ['/console/inbox', `/console/intents/${id}`]) {
        const { status, body } = await read(path, key);
        expect(status).toBe(403);
        expect(body).toMatchObject({ error: { required: 'session' } });
      }
    }
    const { status } = await read('/console/inbox?project=prj_00000000000000000000000000', t.owner.token);
    expect(status).toBe(404);
  });

  test('does not open other pages of the dashboard', async () => {
    for (const path of ['/console/inbox/items?ids=x', '/console/history', '/console/account']) {
      expect((await read(path, t.owner.token)).status).toBe(403);
    }
  });
});

describe('/v1/me', () => {
  test('describes the credential that calls it', async () => {
    const ann = await t.addPerson('ann@example.org', 'approver', ['decide']);
    expect((await read('/v1/me', ann.token)).body).toMatchObject({
      kind: 'user',
      email: 'ann@example.org',
      rights: ['decide'],
      expires_at: '2026-11-21T00:00:00.000Z',
      agent: null,
      projects: [{ id: t.projectId, name: 'First', mode: 'live', role: 'approver' }],
    });
    expect((await read('/v1/me', t.first.agent_key)).body).toMatchObject({
      kind: 'agent',
      email: null,
      agent: { id: t.agentId },
      rights: [],
      projects: [{ id: t.projectId, role: null }],
    });
    expect((await read('/v1/me', t.first.secret_key)).body).toMatchObject({
      kind: 'secret',
      email: 'owner@example.org',
      projects: [{ role: 'owner' }],
    });
    expect((await read('/v1/me', t.first.verifier_key)).body).toMatchObject({ kind: 'verify', email: null });
    expect((await read('/v1/me', 'prm_user_nobody')).status).toBe(401);
  });

  test('lets an access token revoke itself, and refuses every other credential', async () => {
    const ann = await t.addPerson('ann@example.org', 'viewer', []);
    const browser = await t.addSession('bob@example.org', 'approver');
    const revoke = (who: { key: string } | { headers: object }) =>
      t.call('POST', '/v1/me/revoke', { ...who, body: {} } as Parameters<typeof t.call>[2]);
    for (const who of [
      { key: t.first.agent_key },
      { key: t.first.verifier_key },
      { key: t.first.secret_key },
      { headers: browser.headers },
    ]) {
      expect((await revoke(who)).status).toBe(403);
    }
    expect((await read('/v1/me', t.first.secret_key)).status).toBe(200);
    expect((await revoke({ key: ann.token })).body).toMatchObject({ credential_id: ann.caller.credentialId });
    expect((await read('/v1/me', ann.token)).status).toBe(401);
    const [event] = await t.events(t.projectId, 'key.revoked');
    expect(event).toMatchObject({ actor: { id: ann.userId }, data: { key_id: ann.caller.credentialId } });
  });
});
