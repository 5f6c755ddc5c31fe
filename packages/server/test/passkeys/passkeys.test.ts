/** People add passkeys, sign in and confirm presence with them, and remove them. */
import { readApproverKeys } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { erasePerson } from '../../src/people/erase-person.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { removePasskey } from '../../src/people/passkeys/own-passkeys.ts';
import { deviceFor, enrolPasskey, proveDecision } from '../fixtures/enrol-passkey.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import type { Dishonesty, SoftwarePasskey } from '../fixtures/software-passkey.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

const MINUTE = 60;

let t: TestApp;
let ann: SignedIn;
let userId: string;

beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  ({ userId } = await t.addPerson('ann@example.org', 'approver'));
  ann = await signedIn(t.gate, userId, ['link']);
});
afterEach(() => t.close());

const post = (url: string, body: object = {}, headers: Record<string, string> = ann.headers) =>
  t.call('POST', `/console${url}`, { headers, body });
const passkeysOf = (id = userId) => t.gate.storage.read.listPasskeys(id);
const ORIGIN = { origin: 'http://localhost:4000' };

type Asked = { ticket: string; options: { challenge: string; user: { id: string } } };
const asked = async (url: string, headers?: Record<string, string>) =>
  (await post(url, {}, headers)).body as unknown as Asked;

async function add(device: SoftwarePasskey, otherwise: Dishonesty = {}, name = 'Phone') {
  const { ticket, options } = await asked('/account/passkeys/options');
  return post('/account/passkeys', { ticket, response: device.register(options, otherwise), name });
}

async function signIn(
  device: SoftwarePasskey,
  otherwise: Dishonesty = {},
  headers: Record<string, string> = ORIGIN,
) {
  const { ticket, options } = await asked('/sign-in/passkey/options', headers);
  return post('/sign-in/passkey', { ticket, response: device.authenticate(options, otherwise) }, headers);
}

describe('adding a passkey', () => {
  it('requests a discoverable credential with user verification, and stores its public key', async () => {
    const { options } = await asked('/account/passkeys/options');
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Permitry' },
      user: { id: Buffer.from(userId).toString('base64url'), name: 'ann@example.org' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: [],
    });
    const device = deviceFor(t.gate);
    const answer = await add(device);
    expect([answer.status, answer.body]).toMatchObject([
      201,
      { name: 'Phone', last_used_at: null, backed_up: false, created_at: t.clock.now() },
    ]);
    const [passkey] = await passkeysOf();
    expect(passkey).toMatchObject({
      credentialId: device.id,
      jwk: device.publicJwk,
      transports: ['internal'],
    });
    const [event] = await t.events(t.projectId, 'passkey.added');
    expect(event).toMatchObject({
      actor: { type: 'user', id: userId },
      data: { user_id: userId, passkey_id: passkey?.id, algorithm: 'ES256', backed_up: false },
    });
    // The next device gets the list of existing passkeys.
    expect((await asked('/account/passkeys/options')).options).toMatchObject({
      excludeCredentials: [{ id: device.id, type: 'public-key', transports: ['internal'] }],
    });
  });

  it.each(['ES256', 'RS256', 'EdDSA'] as const)('accepts the algorithm %s', async (algorithm) => {
    const device = deviceFor(t.gate, { algorithm });
    expect((await add(device)).status).toBe(201);
    expect((await signIn(device)).status).toBe(200);
  });

  it.each<[string, Dishonesty]>([
    ['without user verification', { userVerified: false }],
    ['for another origin', { origin: 'https://evil.example' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['in a frame of another site', { crossOrigin: true }],
    ['for another challenge', { challenge: 'AAAA' }],
    ['with an assertion', { type: 'webauthn.get' }],
  ])('%s is refused', async (_what, otherwise) => {
    const answer = await add(deviceFor(t.gate), otherwise);
    expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'invalid_proof' }]);
    expect(await passkeysOf()).toEqual([]);
  });

  it('requires presence within the last 15 minutes, so a stolen cookie adds nothing', async () => {
    const { ticket, options } = await asked('/account/passkeys/options');
    t.clock.advance(15 * MINUTE + 1);
    const late = await post('/account/passkeys/options');
    expect([late.status, late.body.error]).toMatchObject([403, { code: 'proof_required' }]);
    const response = deviceFor(t.gate).register(options);
    expect((await post('/account/passkeys', { ticket, response, name: 'x' })).status).toBe(403);
    expect(await passkeysOf()).toEqual([]);
  });

  it('requires a confirmation since the sign-in, so a freshly stolen cookie adds nothing either', async () => {
    const stolen = await signedIn(t.gate, userId);
    const tried = await post('/account/passkeys/options', {}, stolen.headers);
    expect([tried.status, tried.body.error]).toMatchObject([
      403,
      { code: 'proof_required', methods: ['password', 'passkey'] },
    ]);
    t.clock.advance(MINUTE);
    await t.gate.storage.transaction((tx) => tx.confirmSession(stolen.sessionId, t.clock.now()));
    expect((await post('/account/passkeys/options', {}, stolen.headers)).status).toBe(200);
  });

  it('accepts a ticket once, within five minutes, from the same person', async () => {
    const bob = await signedIn(t.gate, (await t.addPerson('bob@example.org', 'approver')).userId, ['link']);
    const { ticket, options } = await asked('/account/passkeys/options');
    const answerOf = (device: SoftwarePasskey) => ({ ticket, response: device.register(options), name: 'x' });
    expect((await post('/account/passkeys', answerOf(deviceFor(t.gate)), bob.headers)).status).toBe(400);
    expect((await post('/account/passkeys', answerOf(deviceFor(t.gate)))).status).toBe(400);
    const second = await asked('/account/passkeys/options');
    t.clock.advance(5 * MINUTE);
    const late = { ticket: second.ticket, response: deviceFor(t.gate).register(second.options), name: 'x' };
    expect((await post('/account/passkeys', late)).status).toBe(400);
    expect(await passkeysOf()).toEqual([]);
  });

  it('refuses a passkey that is already registered, and a twenty-first one', async () => {
    const device = deviceFor(t.gate);
    await add(device);
    const again = await add(device);
    expect([again.status, again.body.error]).toMatchObject([409, { code: 'conflict' }]);
    for (let count = 1; count < 20; count += 1) await enrolPasskey(t.gate, await ann.caller());
    expect((await post('/account/passkeys/options')).status).toBe(409);
    expect(await passkeysOf()).toHaveLength(20);
  });

  it.each(['', ' ', 'a\u202Eb', 'x'.repeat(101)])('refuses the name %j', async (name) => {
    const answer = await add(deviceFor(t.gate), {}, name);
    expect(answer.status).toBe(400);
    expect(await passkeysOf()).toEqual([]);
  });

  it('is not offered if the base URL is an IP address', async () => {
    const atAddress = { ...t.gate, issuer: 'http://127.0.0.1:4000' };
    const refusal = await refusalOf(enrolPasskey(atAddress, await ann.caller()));
    expect([refusal.code, refusal.message]).toEqual([
      'conflict',
      expect.stringContaining('PERMITRY_BASE_URL'),
    ]);
  });
});

describe('signing in with a passkey', () => {
  let device: SoftwarePasskey;
  beforeEach(async () => {
    ({ device } = await enrolPasskey(t.gate, await ann.caller()));
  });

  it('needs no user name, and starts a session with the method passkey', async () => {
    const { options } = await asked('/sign-in/passkey/options', ORIGIN);
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
    const answer = await signIn(device);
    expect([answer.status, answer.body]).toEqual([200, { status: 'signed_in' }]);
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(/^__Host-permitry_session=\S+; .*HttpOnly; Secure; SameSite=Strict/);
    const who = await t.call('GET', '/console/session', { headers: { cookie: cookie.split(';')[0] ?? '' } });
    expect(who.body).toMatchObject({ signed_in: true, user: { id: userId }, methods: ['passkey'] });
    expect(await passkeysOf()).toMatchObject([{ signCount: 1, lastUsedAt: t.clock.now() }]);
  });

  it('ends the previous session of the browser', async () => {
    await signIn(device, {}, ann.headers);
    expect((await refusalOf(ann.caller())).code).toBe('unauthorized');
  });

  it.each<[string, Dishonesty]>([
    ['without user verification', { userVerified: false }],
    ['from another origin', { origin: 'http://localhost:4001' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['with an unknown passkey', { credentialId: 'AAAA' }],
    ['for another challenge', { challenge: 'AAAA' }],
    ['with the user handle of another person', { userHandle: Buffer.from('usr_1').toString('base64url') }],
    ['with a counter that went back', { counter: 0 }],
  ])('%s is refused with the same message', async (_what, otherwise) => {
    await signIn(device);
    const wrong = await signIn(device, { signedBy: deviceFor(t.gate) });
    const answer = await signIn(device, otherwise);
    expect([answer.status, answer.body.error]).toMatchObject([401, { code: 'unauthorized' }]);
    expect(answer.headers['set-cookie']).toBeUndefined();
    const words = (body: Record<string, unknown>) => (body.error as { message: string }).message;
    expect(words(answer.body)).toBe(words(wrong.body));
  });

  it('is refused if the authenticator does not say whose passkey it is', async () => {
    const { ticket, options } = await asked('/sign-in/passkey/options', ORIGIN);
    const { userHandle: _, ...response } = device.authenticate(options).response;
    const assertion = { ...device.authenticate(options), response };
    expect((await post('/sign-in/passkey', { ticket, response: assertion }, ORIGIN)).status).toBe(401);
  });

  it('accepts a ticket once, even for concurrent attempts', async () => {
    const { ticket, options } = await asked('/sign-in/passkey/options', ORIGIN);
    const bodies = Array.from({ length: 3 }, () => ({ ticket, response: device.authenticate(options) }));
    const answers = await Promise.all(bodies.map((body) => post('/sign-in/passkey', body, ORIGIN)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
  });

  it('refuses a ticket that was issued for another purpose', async () => {
    const { ticket, options } = await asked('/session/confirm/options');
    const body = { ticket, response: device.authenticate(options) };
    expect((await post('/sign-in/passkey', body, ORIGIN)).status).toBe(401);
  });

  it('is limited to 120 attempts a minute from one address', async () => {
    const options = () => post('/sign-in/passkey/options', {}, ORIGIN);
    for (let count = 0; count < 120; count += 1) expect((await options()).status).toBe(200);
    const answer = await options();
    expect([answer.status, answer.body.error]).toMatchObject([429, { code: 'rate_limited' }]);
    const finish = () => post('/sign-in/passkey', { ticket: 'x', response: {} }, ORIGIN);
    for (let count = 0; count < 120; count += 1) expect((await finish()).status).toBe(401);
    expect((await finish()).status).toBe(429);
    t.clock.advance(MINUTE);
    expect((await options()).status).toBe(200);
  });

  it('is refused to pages of another origin', async () => {
    const answer = await post('/sign-in/passkey/options', {}, { origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
  });
});

describe('confirming presence with a passkey', () => {
  it('allows sensitive changes again', async () => {
    const { device } = await enrolPasskey(t.gate, await ann.caller());
    t.clock.advance(20 * MINUTE);
    expect((await post('/account/passkeys/options')).status).toBe(403);
    const { ticket, options } = await asked('/session/confirm/options');
    const answer = await post('/session/confirm', { ticket, response: device.authenticate(options) });
    expect([answer.status, answer.body]).toEqual([200, { status: 'confirmed' }]);
    expect((await post('/account/passkeys/options')).status).toBe(200);
  });

  it('requires the person’s own passkey, with user verification', async () => {
    const bobs = await t.addPerson('bob@example.org', 'approver');
    const bob = await signedIn(t.gate, bobs.userId, ['link']);
    const { device: bobsPhone } = await enrolPasskey(t.gate, await bob.caller());
    expect((await post('/session/confirm/options')).status).toBe(409);
    const { device } = await enrolPasskey(t.gate, await ann.caller());
    for (const [other, otherwise] of [
      [bobsPhone, {}],
      [device, { userVerified: false }],
      [device, { signedBy: bobsPhone }],
    ] as const) {
      const { ticket, options } = await asked('/session/confirm/options');
      const answer = await post('/session/confirm', {
        ticket,
        response: other.authenticate(options, otherwise),
      });
      expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'invalid_proof' }]);
    }
    expect((await t.gate.storage.read.findSession(ann.sessionId))?.confirmedAt).toBe(t.clock.now());
  });
});

describe('an existing passkey', () => {
  it('can be renamed only by its person', async () => {
    const { passkey } = await enrolPasskey(t.gate, await ann.caller());
    const url = `/console/account/passkeys/${passkey.id}`;
    const bob = await signedIn(t.gate, (await t.addPerson('bob@example.org', 'approver')).userId, ['link']);
    const rename = (headers: Record<string, string>) =>
      t.call('PATCH', url, { headers, body: { name: 'Laptop' } });
    expect((await rename(bob.headers)).status).toBe(404);
    expect((await rename(ann.headers)).status).toBe(204);
    expect((await passkeysOf())[0]?.name).toBe('Laptop');
  });

  it('can be removed only by its person, who must be present, and the removal is recorded', async () => {
    const { passkey } = await enrolPasskey(t.gate, await ann.caller());
    await enrolPasskey(t.gate, await ann.caller());
    const url = `/console/account/passkeys/${passkey.id}`;
    const bob = await signedIn(t.gate, (await t.addPerson('bob@example.org', 'approver')).userId, ['link']);
    expect((await t.call('DELETE', url, { headers: bob.headers })).status).toBe(404);
    t.clock.advance(16 * MINUTE);
    expect((await t.call('DELETE', url, { headers: ann.headers })).status).toBe(403);
    const fresh = await signedIn(t.gate, userId, ['link']);
    expect((await t.call('DELETE', url, { headers: fresh.headers })).status).toBe(204);
    expect(await passkeysOf()).toHaveLength(1);
    const [event] = await t.events(t.projectId, 'passkey.removed');
    expect(event?.data).toMatchObject({ user_id: userId, passkey_id: passkey.id });
  });

  it('cannot be removed while it is the only way to sign in', async () => {
    const { passkey } = await enrolPasskey(t.gate, await ann.caller());
    const url = `/console/account/passkeys/${passkey.id}`;
    const answer = await t.call('DELETE', url, { headers: ann.headers });
    expect([answer.status, answer.body.error]).toMatchObject([409, { code: 'conflict' }]);
    expect(await passkeysOf()).toHaveLength(1);
    await t.gate.storage.transaction((tx) =>
      tx.savePassword({ userId, hash: '$argon2id$x', changedAt: t.clock.now() }),
    );
    expect((await t.call('DELETE', url, { headers: ann.headers })).status).toBe(204);
  });

  it('is exported in a key file that an auditor can pin', async () => {
    const { device } = await enrolPasskey(t.gate, await ann.caller());
    const { body } = await t.call('GET', '/console/account/passkeys/export', { headers: ann.headers });
    expect(readApproverKeys([body]).find('Ann@example.org', device.id)).toEqual({
      id: device.id,
      public_key: device.publicJwk,
      rp_id: 'localhost',
      origin: 'http://localhost:4000',
      created_at: t.clock.now(),
    });
  });
});

describe('erasing a person', () => {
  it('deletes their passkeys and everything that was signed with them', async () => {
    const { device } = await enrolPasskey(t.gate, await ann.caller());
    const request = { action: 'payments.refund', params: { amount: 5 }, expiresInSeconds: 600 };
    const { intent } = await submitIntent(t.gate, t.agent, request);
    const proofSessionId = await proveDecision(t.gate, await ann.caller(), device, { intentId: intent.id });
    await decideIntent(t.gate, await ann.caller(), {
      intentId: intent.id,
      decision: 'approve',
      proofSessionId,
      intentHash: intent.intentHash,
    });
    t.clock.advance(20 * MINUTE);
    await removeMember(t.gate, t.operator, { projectId: t.projectId, userId });
    await erasePerson(t.gate, t.operator, { projectId: t.projectId, person: 'ann@example.org' });
    expect(await passkeysOf()).toEqual([]);
    expect(await t.gate.storage.read.findProofSession(proofSessionId)).toBeUndefined();
    const [vote] = await t.gate.storage.read.listApprovals(intent.id);
    expect(vote).toMatchObject({ by: userId, method: 'passkey', evidence: null });
    expect((await t.gate.storage.read.findIntent(intent.id))?.receipt).toBeNull();
  });
});

describe('a person', () => {
  it('is notified when a passkey is added and when one is removed', async () => {
    const told = () =>
      t.gate.storage.read.listDueDeliveries({ channel: 'mail', now: t.clock.now(), limit: 10 });
    const gate = { ...t.gate, reach: { ...t.gate.reach, mail: true } };
    const { passkey } = await enrolPasskey(gate, await ann.caller());
    await enrolPasskey(gate, await ann.caller());
    await removePasskey(gate, await ann.caller(), { passkeyId: passkey.id });
    const notices = (await told()).map(({ userId: to, detail }) => [to, detail]);
    expect(notices).toEqual([
      [userId, { notice: 'passkey_added', name: 'Phone' }],
      [userId, { notice: 'passkey_added', name: 'Phone' }],
      [userId, { notice: 'passkey_removed', name: 'Phone' }],
    ]);
  });
});
