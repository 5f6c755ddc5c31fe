/**
 * Threat 14, programs: whether a program can get a person's token without their consent, and what a token alone can
 * decide.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDeviceKey } from '../../packages/server/src/people/device-keys/add-device-key.ts';
import { asShown } from '../../packages/server/test/fixtures/as-shown.ts';
import { type SignedIn, signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import {
  type DishonestDevice,
  SoftwareDeviceKey,
} from '../../packages/server/test/fixtures/software-device-key.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { expectRefused } from './surfaces.ts';

let t: Arena;
let ann: { userId: string; email: string; token: string };
let anns: SoftwareDeviceKey;
/** Ann's cookie, stolen by a thief. */
let stolen: SignedIn;

beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'approver');
  anns = new SoftwareDeviceKey();
  const key = { id: t.gate.ids.next('dvk'), jwk: anns.jwk, name: 'laptop', address: null };
  const user = { id: ann.userId, email: ann.email };
  await t.gate.storage.transaction((tx) => addDeviceKey(t.gate, tx, user, key));
  stolen = await signedIn(t.gate, ann.userId);
  t.clock.advance(16 * 60);
});
afterAll(() => t.close());

const thiefs = new SoftwareDeviceKey();
const WANTED = [
  ['a program that may decide', { purpose: 'token', name: 'thief', rights: ['decide'] }],
  ['a program that reads', { purpose: 'token', name: 'thief' }],
  ['a device key', { purpose: 'device_key', name: 'thief', public_key: thiefs.jwk }],
] as const;

async function begin(body: object): Promise<{ device_code: string; user_code: string }> {
  return (await t.call('POST', '/v1/pairings', { body })).body as never;
}
const poll = (device_code: string) => t.call('POST', '/v1/pairings/poll', { body: { device_code } });
const look = (user_code: string, headers: Record<string, string>) =>
  t.call('POST', '/console/pairings/look', { headers, body: { user_code } });

describe.each(WANTED)('%s', (_what, body) => {
  it('cannot be confirmed with a stolen cookie once the sign-in is not recent', async () => {
    const { user_code, device_code } = await begin(body);
    await t.expectUnchanged(async () => {
      const { id } = (await look(user_code, stolen.headers)).body;
      const answer = await t.call('POST', '/console/pairings/confirm', {
        headers: stolen.headers,
        body: { id, user_code, decision: 'approve' },
      });
      expectRefused('B', answer, 403, 'PROOF_REQUIRED');
    });
    expect((await poll(device_code)).body).toEqual({ status: 'pending', interval: 5 });
  });

  it.each([
    ['her token', () => ({ authorization: `Bearer ${ann.token}` })],
    ['an agent', () => ({ authorization: `Bearer ${t.first.agent_key}` })],
    ['a secret key', () => ({ authorization: `Bearer ${t.first.secret_key}` })],
  ])('cannot be confirmed with %s', async (_who, headers) => {
    const { user_code, device_code } = await begin(body);
    const answer = await look(user_code, headers());
    expectRefused('B', answer, 403, 'FORBIDDEN');
    expect((await poll(device_code)).body.status).toBe('pending');
  });

  it('cannot be confirmed by the page of another site', async () => {
    const { user_code } = await begin(body);
    const headers = { cookie: stolen.cookie, origin: 'https://evil.example' };
    expectRefused('B', await look(user_code, headers), 403, 'FORBIDDEN');
  });
});

it('codes that were never issued are answered like expired ones, and change nothing', async () => {
  const codes = ['x', 'A'.repeat(43), '../../x', "' or 1=1 --"];
  await t.expectUnchanged(async () => {
    for (const code of codes) expect((await poll(code)).body).toEqual({ status: 'expired' });
  });
});

describe('a stolen token that may decide', () => {
  const steal = (method: string, url: string, body: object): Promise<Answer> =>
    t.call(method, url, { key: ann.token, body });

  async function asked(): Promise<string> {
    const { body } = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action: 'payments.refund', params: { amount: 5 }, proof_tier: 'device' },
    });
    return String(body.id);
  }
  async function started(intent_id: string): Promise<{ id: string; challenge: string }> {
    const body = { intent_id, decision: 'approve', method: 'device' };
    return (await steal('POST', '/api/verify/proof', body)).body.proof_session as never;
  }

  it('approves nothing that requires a device key', async () => {
    const id = await asked();
    const shown = await asShown(t.gate, id);
    await t.expectUnchanged(async () => {
      for (const [status, code, proof] of [
        [403, 'PROOF_REQUIRED', shown],
        [400, 'INVALID_PROOF', { ...shown, proof_session_id: 'prf_01hzzzzzzzzzzzzzzzzzzzzzzz' }],
      ] as const) {
        const onB = await steal('POST', `/v1/intents/${id}/approve`, proof);
        expectRefused('B', onB, status, code);
        const onA = await steal('PATCH', `/api/intents/${id}`, { decision: 'approve', ...proof });
        expectRefused('A', onA, status, code);
      }
    });
  });

  it.each<[string, (challenge: string) => string]>([
    ['the thief’s own key', (challenge) => thiefs.prove(challenge)],
    [
      'a key that claims to be hers',
      (challenge) => anns.prove(challenge, { signedBy: thiefs } satisfies DishonestDevice),
    ],
    ['a signature that she made for something else', () => anns.prove('A'.repeat(43))],
    ['a signature without an algorithm', (challenge) => anns.prove(challenge, { alg: 'none' })],
  ])('approves nothing with %s', async (_what, forge) => {
    const id = await asked();
    const { id: proof_session_id, challenge } = await started(id);
    const signals = { jws: forge(challenge) };
    const submitted = await steal('POST', '/api/verify/proof', { proof_session_id, signals });
    expect(submitted.body).toMatchObject({ proof_session: { status: 'failed', proof_tier: 'none' } });
    const body = { proof_session_id, ...(await asShown(t.gate, id)) };
    await t.expectUnchanged(async () => {
      const answer = await steal('POST', `/v1/intents/${id}/approve`, body);
      expectRefused('B', answer, 400, 'INVALID_PROOF');
    });
  });

  it('cannot use a proof that its owner completes in a session', async () => {
    const id = await asked();
    const { id: proof_session_id, challenge } = await started(id);
    const other = await t.call('POST', '/api/verify/proof', {
      headers: (await signedIn(t.gate, ann.userId)).headers,
      body: { proof_session_id, signals: { jws: anns.prove(challenge) } },
    });
    expectRefused('A', other, 400, 'INVALID_PROOF');
  });
});

// This test is last, because Ann has to wait too.
it('a thief who guesses the pairing codes of others has to wait', async () => {
  const { user_code } = await begin({ purpose: 'token', name: 'waiting for somebody else' });
  const statuses: number[] = [];
  for (let n = 0; n < 8; n += 1) statuses.push((await look('BCDF-GHJK', stolen.headers)).status);
  expect(statuses.slice(0, 5)).toEqual([404, 404, 404, 404, 404]);
  expect(new Set(statuses.slice(5))).toEqual(new Set([429]));
  expect((await look(user_code, stolen.headers)).status).toBe(429);
});
