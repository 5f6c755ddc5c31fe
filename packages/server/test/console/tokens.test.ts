/** The console routes with which people list and revoke their own access tokens. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { expectRefusal, INSTANT } from '../surfaces/expect-refusal.ts';

let t: TestApp;
let owner: SignedIn;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  owner = await signedIn(t.gate, t.owner.userId);
});
afterEach(() => t.close());

it('the list of access tokens contains only the person’s own, without the token itself', async () => {
  await t.addPerson('ann@example.org', 'approver');
  const { status, body, text } = await t.call('GET', '/console/account/tokens', { headers: owner.headers });
  expect(status).toBe(200);
  expect(body).toEqual({
    data: [
      {
        id: t.owner.caller.credentialId,
        name: 'token of owner@example.org',
        hint: t.owner.token.slice(-4),
        rights: ['decide', 'manage'],
        created_at: INSTANT,
        expires_at: INSTANT,
        revoked_at: null,
        last_used_at: null,
      },
    ],
    next_cursor: null,
  });
  expect(text).not.toContain(t.owner.token);
});

it('a revoked access token is refused from the next request on', async () => {
  const id = t.owner.caller.credentialId;
  const revoke = () =>
    t.call('POST', `/console/account/tokens/${id}/revoke`, { headers: owner.headers, body: {} });
  expect((await revoke()).body).toMatchObject({ id, revoked_at: INSTANT });
  expect((await revoke()).status).toBe(200);
  expectRefusal(
    await t.call('GET', `/v1/projects/${t.projectId}`, { key: t.owner.token }),
    401,
    'unauthorized',
  );
  expect(await t.events(t.projectId, 'key.revoked')).toHaveLength(1);
});

it('revoking an access token of another person, or a key of another kind, answers that it is not found', async () => {
  const ann = await t.addPerson('ann@example.org', 'viewer');
  const secret = await t.addService('owner@example.org');
  for (const id of [ann.caller.credentialId, secret.keyId, 'key_x']) {
    const answer = await t.call('POST', `/console/account/tokens/${id}/revoke`, {
      headers: owner.headers,
      body: {},
    });
    expectRefusal(answer, 404, 'not_found');
  }
  expect((await t.callerOf(ann.token)).kind).toBe('user');
});
