/** A program gets a person's token or device key, through the public routes and the routes of the page. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionCaller } from '../../src/gate/access/caller.ts';
import { removeDeviceKey } from '../../src/people/device-keys/own-device-keys.ts';
import { erasePerson } from '../../src/people/erase-person.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { answerPairing } from '../../src/people/pairings/answer-pairing.ts';
import { pollPairing } from '../../src/people/pairings/poll-pairing.ts';
import { startPairing } from '../../src/people/pairings/start-pairing.ts';
import { changePassword } from '../../src/people/passwords/change-password.ts';
import { endOtherSessions, endSession } from '../../src/people/sessions/end-session.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { SoftwareDeviceKey } from '../fixtures/software-device-key.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

const TEN_MINUTES = 600;
const HOUR = 3600;

let t: TestApp;
let ann: SignedIn;
let userId: string;

beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  ({ userId } = await t.addPerson('ann@example.org', 'approver'));
  ann = await signedIn(t.gate, userId, ['link']);
});
afterEach(() => t.close());

type Started = { device_code: string; user_code: string; verification_uri_complete: string };

const ask = (body: object, address = '203.0.113.7') => t.call('POST', '/v1/pairings', { body, address });
async function begin(body: object = { purpose: 'token', name: 'laptop' }): Promise<Started> {
  const answer = await ask(body);
  expect(answer.status).toBe(201);
  return answer.body as unknown as Started;
}
const poll = async ({ device_code }: Pick<Started, 'device_code'>) =>
  (await t.call('POST', '/v1/pairings/poll', { body: { device_code } })).body;
const look = (user_code: string, who: SignedIn = ann) =>
  t.call('POST', '/console/pairings/look', { headers: who.headers, body: { user_code } });
async function answer(
  { user_code }: Pick<Started, 'user_code'>,
  decision: 'approve' | 'deny' = 'approve',
  who: SignedIn = ann,
) {
  const { body } = await look(user_code, who);
  const body2 = { id: String(body.id), user_code, decision };
  return t.call('POST', '/console/pairings/confirm', { headers: who.headers, body: body2 });
}
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Another encoding of the same point: two bits of the last character are ignored. */
const misspelt = ({ x, ...others }: { x: string }) => ({
  ...others,
  x: x.slice(0, -1) + BASE64URL[BASE64URL.indexOf(x.slice(-1)) ^ 1],
});
const code = (refused: { status: number; body: Record<string, unknown> }) => [
  refused.status,
  (refused.body.error as { code?: string } | undefined)?.code,
];

describe('a program that asks for a token', () => {
  it('shows a code, is approved on the page, and gets the token once', async () => {
    const answered = await ask({ purpose: 'token', name: 'permitry on laptop-7', rights: ['decide'] });
    const started = answered.body as unknown as Started;
    expect(answered.headers['cache-control']).toBe('no-store');
    expect(started).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'http://localhost:4000/connect',
      verification_uri_complete: `http://localhost:4000/connect#${started.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(await poll(started)).toEqual({ status: 'pending', interval: 5 });

    const shown = await look(started.user_code);
    expect(shown.body).toMatchObject({
      purpose: 'token',
      name: 'permitry on laptop-7',
      rights: ['decide'],
      lifetime_seconds: 12 * HOUR,
      key_id: null,
      address: '203.0.113.7',
      same_network: false,
    });
    expect((await answer(started)).body).toEqual({ status: 'approved' });

    const told = await poll(started);
    expect(told).toEqual({
      status: 'approved',
      token: expect.stringMatching(/^prm_user_/),
      email: 'ann@example.org',
      rights: ['decide'],
      expires_at: new Date(Date.parse(t.clock.now()) + 12 * HOUR * 1000).toISOString(),
    });
    expect(await t.callerOf(String(told.token))).toMatchObject({
      kind: 'user',
      user: { id: userId },
      rights: ['decide'],
    });
    expect(await poll(started)).toEqual({ status: 'expired' });
    expect(t.log()).not.toContain(String(told.token));
    expect(t.log()).not.toContain(started.device_code);
  });

  it('is recorded in the audit log of each project, with the person as the actor', async () => {
    const started = await begin();
    await answer(started);
    await poll(started);
    const event = (await t.events(t.projectId, 'key.created')).at(-1);
    expect(event).toMatchObject({
      actor: { type: 'user', id: userId },
      data: { kind: 'user', name: 'laptop', rights: [], owner_id: userId },
    });
    const { body } = await t.call('GET', '/console/account/tokens', { headers: ann.headers });
    expect((body.data as object[])[0]).toMatchObject({ name: 'laptop', rights: [] });
  });

  it('gets the lifetime that it asks for, by default 30 days for reading', async () => {
    const inSeconds = async (body: object) => {
      const started = await begin({ purpose: 'token', name: 'laptop', ...body });
      await answer(started);
      return (Date.parse(String((await poll(started)).expires_at)) - Date.parse(t.clock.now())) / 1000;
    };
    expect(await inSeconds({})).toBe(30 * 24 * HOUR);
    expect(await inSeconds({ expires_in: HOUR })).toBe(HOUR);
    expect(await inSeconds({ expires_in: HOUR, rights: ['decide'] })).toBe(HOUR);
  });

  it('learns that the person denied it', async () => {
    const started = await begin();
    expect((await answer(started, 'deny')).body).toEqual({ status: 'denied' });
    expect(await poll(started)).toEqual({ status: 'denied' });
    expect((await t.events(t.projectId, 'key.created')).some(({ actor }) => actor.id === userId)).toBe(false);
  });

  it('gets only one token, however often it polls at once', async () => {
    const started = await begin();
    await answer(started);
    const answers = await Promise.all(Array.from({ length: 10 }, () => poll(started)));
    expect(answers.filter(({ token }) => token !== undefined)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 'expired')).toHaveLength(9);
    const { body } = await t.call('GET', '/console/account/tokens', { headers: ann.headers });
    // The other token belongs to the fixture.
    expect(body.data).toHaveLength(2);
  });

  it('gets only one answer, even if several people answer at once', async () => {
    const bob = await signedIn(t.gate, (await t.addPerson('bob@example.org', 'approver')).userId, ['link']);
    const started = await begin();
    const answers = await Promise.all([
      answer(started),
      answer(started, 'deny'),
      answer(started, 'approve', bob),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(2);
  });

  it('can wait and collect its token for ten minutes only', async () => {
    const [started, approved] = [await begin(), await begin()];
    await answer(approved);
    t.clock.advance(TEN_MINUTES);
    expect(await poll(started)).toEqual({ status: 'expired' });
    expect(await poll(approved)).toEqual({ status: 'expired' });
    expect(code(await look(started.user_code))).toEqual([404, 'not_found']);
  });

  it('gets no token of a person who has left their last project', async () => {
    const started = await begin();
    await answer(started);
    await removeMember(t.gate, t.operator, { projectId: t.projectId, userId });
    expect(await poll(started)).toEqual({ status: 'denied' });
  });

  it('must slow down when it polls too often, each time a little more', async () => {
    const started = await begin();
    const states = [await poll(started), await poll(started)];
    t.clock.advance(5);
    states.push(await poll(started));
    t.clock.advance(15);
    states.push(await poll(started));
    expect(states).toEqual([
      { status: 'pending', interval: 5 },
      { status: 'slow_down', interval: 10 },
      { status: 'slow_down', interval: 15 },
      { status: 'pending', interval: 15 },
    ]);
    await answer(started);
    expect(await poll(started)).toMatchObject({ status: 'approved' });
  });

  it.each<[string, object, string]>([
    ['an invalid name', { name: '\u202e' }, '/name'],
    ['more than 12 hours to decide', { rights: ['decide'], expires_in: 12 * HOUR + 1 }, '/expires_in'],
    ['the right to manage', { rights: ['manage'] }, '/rights/0'],
    ['a key beside a token', { public_key: new SoftwareDeviceKey().jwk }, '/public_key'],
  ])('is refused with %s', async (_what, more, path) => {
    const refused = await ask({ purpose: 'token', name: 'laptop', ...more });
    expect(code(refused)).toEqual([400, 'invalid_request']);
    expect(refused.body.error).toMatchObject({ fields: [{ path }] });
  });

  it('is rate limited by address, which does not affect other addresses', async () => {
    for (let n = 0; n < 30; n += 1) await begin();
    const refused = await ask({ purpose: 'token', name: 'laptop' });
    expect(code(refused)).toEqual([429, 'rate_limited']);
    expect((await ask({ purpose: 'token', name: 'laptop' }, '203.0.113.8')).status).toBe(201);
  });
});

describe('the person who pairs a program', () => {
  it('may type the code in lower case and with spaces', async () => {
    const { user_code } = await begin();
    const typed = ` ${user_code.toLowerCase().replace('-', ' ')} `;
    expect((await look(typed)).body).toMatchObject({ user_code });
  });

  it('must wait after a few wrong codes, as with a second factor', async () => {
    const { user_code } = await begin();
    for (let n = 0; n < 5; n += 1) expect(code(await look('BBBB-BBBB'))).toEqual([404, 'not_found']);
    expect(code(await look(user_code))).toEqual([429, 'rate_limited']);
    t.clock.advance(15);
    expect((await look(user_code)).status).toBe(200);
    // Correct codes are not counted.
    for (let n = 0; n < 10; n += 1) expect((await look(user_code)).status).toBe(200);
  });

  it('gets no free guesses by entering a valid code in between', async () => {
    const { user_code } = await begin();
    for (let n = 0; n < 5; n += 1) {
      expect(code(await look('BBBB-BBBB'))).toEqual([404, 'not_found']);
      if (n < 4) expect((await look(user_code)).status).toBe(200);
    }
    expect(code(await look('BBBB-BBBB'))).toEqual([429, 'rate_limited']);
  });

  it.each<[string, (caller: SessionCaller) => Promise<unknown>]>([
    [
      'the password is changed',
      (caller) => changePassword(t.gate, caller, { password: 'a long and quiet evening', address: null }),
    ],
    ['all other sessions are ended', (caller) => endOtherSessions(t.gate, caller)],
    [
      'the session that approved is ended',
      (caller) => endSession(t.gate, caller, { sessionId: ann.sessionId }),
    ],
  ])('leaves no token to collect once %s', async (_what, act) => {
    const started = await begin({ purpose: 'token', name: 'laptop', rights: ['decide'] });
    expect((await answer(started)).status).toBe(200);
    await act(await (await signedIn(t.gate, userId, ['link'])).caller());
    expect(await poll(started)).toEqual({ status: 'expired' });
    expect((await t.events(t.projectId, 'key.created')).some(({ actor }) => actor.id === userId)).toBe(false);
  });

  it('cannot answer another pairing than the one shown', async () => {
    const [one, other] = [await begin(), await begin()];
    const { body } = await look(one.user_code);
    const mixed = { id: String(body.id), user_code: other.user_code, decision: 'approve' };
    const refused = await t.call('POST', '/console/pairings/confirm', { headers: ann.headers, body: mixed });
    expect(code(refused)).toEqual([404, 'not_found']);
    expect([(await poll(one)).status, (await poll(other)).status]).toEqual(['pending', 'pending']);
  });

  it.each<[string, object]>([
    ['a token that can decide', { purpose: 'token', name: 'laptop', rights: ['decide'] }],
    ['a device key', { purpose: 'device_key', name: 'laptop', public_key: new SoftwareDeviceKey().jwk }],
  ])(
    'must confirm their presence before approving %s, so a stolen cookie approves nothing',
    async (_what, asked) => {
      const stolen = await signedIn(t.gate, userId);
      const started = await begin(asked);
      const refused = await answer(started, 'approve', stolen);
      expect(code(refused)).toEqual([403, 'proof_required']);
      expect((await poll(started)).status).toBe('pending');
      expect(await t.gate.storage.read.listDeviceKeys(userId)).toEqual([]);
      // Denying requires nothing.
      expect((await answer(started, 'deny', stolen)).status).toBe(200);
    },
  );

  it('must have been present within the last 15 minutes to approve a token that only reads', async () => {
    const stolen = await signedIn(t.gate, userId);
    t.clock.advance(15 * 60 + 1);
    const started = await begin();
    expect(code(await answer(started, 'approve', stolen))).toEqual([403, 'proof_required']);
    expect((await poll(started)).status).toBe('pending');
  });

  it('must have a session: an access token cannot pair another program', async () => {
    const { user_code } = await begin();
    const refused = await t.call('POST', '/console/pairings/look', {
      key: t.owner.token,
      body: { user_code },
    });
    expect(code(refused)).toEqual([403, 'forbidden']);
  });
});

describe('a device key', () => {
  const enrol = async (key: SoftwareDeviceKey, who: SignedIn = ann, name = 'laptop') => {
    const started = await begin({ purpose: 'device_key', name, public_key: key.jwk });
    return { started, answered: await answer(started, 'approve', who) };
  };
  const keys = (id = userId) => t.gate.storage.read.listDeviceKeys(id);

  it('counts from the moment the person approves it, and the program gets its ID', async () => {
    const key = new SoftwareDeviceKey();
    const started = await begin({ purpose: 'device_key', name: 'laptop', public_key: key.jwk });
    expect((await look(started.user_code)).body).toMatchObject({
      purpose: 'device_key',
      key_id: key.id,
      lifetime_seconds: null,
    });
    await answer(started);
    const [kept] = await keys();
    expect(kept).toMatchObject({ keyId: key.id, jwk: key.jwk, name: 'laptop', lastUsedAt: null });
    const told = { status: 'approved', email: 'ann@example.org', device_key_id: kept?.id };
    expect([await poll(started), await poll(started)]).toEqual([told, told]);
    const [event] = await t.events(t.projectId, 'device_key.added');
    expect(event).toMatchObject({
      actor: { type: 'user', id: userId },
      data: { user_id: userId, device_key_id: kept?.id, key_id: key.id },
    });
  });

  it('belongs to one person: it is refused when anyone adds it again', async () => {
    const bob = await signedIn(t.gate, (await t.addPerson('bob@example.org', 'approver')).userId, ['link']);
    const key = new SoftwareDeviceKey();
    expect((await enrol(key)).answered.status).toBe(200);
    for (const who of [bob, ann]) {
      const { started, answered } = await enrol(key, who);
      expect(code(answered)).toEqual([409, 'conflict']);
      expect((await poll(started)).status).toBe('pending');
    }
    expect((await keys()).length).toBe(1);
  });

  it.each<[string, object]>([
    ['that is not a point on the curve', { ...new SoftwareDeviceKey().jwk, y: 'A'.repeat(43) }],
    ['in another encoding, which would give it another ID', misspelt(new SoftwareDeviceKey().jwk)],
    ['with its private half', { ...new SoftwareDeviceKey().jwk, d: 'A'.repeat(43) }],
    ['of another type', { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }],
  ])('%s is refused', async (_what, public_key) => {
    expect(code(await ask({ purpose: 'device_key', name: 'laptop', public_key }))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it.each<[string, object]>([
    ['without a public key', {}],
    ['with rights', { public_key: new SoftwareDeviceKey().jwk, rights: ['decide'] }],
    ['with a lifetime', { public_key: new SoftwareDeviceKey().jwk, expires_in: HOUR }],
  ])('%s is refused', async (_what, more) => {
    expect(code(await ask({ purpose: 'device_key', name: 'laptop', ...more }))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it('is renamed and removed only by its own person, who must be present to remove it, and the removal is recorded', async () => {
    const key = new SoftwareDeviceKey();
    await enrol(key);
    const [kept] = await keys();
    const bob = await signedIn(t.gate, (await t.addPerson('bob@example.org', 'approver')).userId, ['link']);
    const url = `/console/account/device-keys/${kept?.id}`;
    const rename = (who: SignedIn) => t.call('PATCH', url, { headers: who.headers, body: { name: 'Desk' } });
    const remove = (who: SignedIn) => t.call('DELETE', url, { headers: who.headers });
    expect([(await rename(bob)).status, (await remove(bob)).status]).toEqual([404, 404]);
    expect((await rename(ann)).status).toBe(204);
    const { body } = await t.call('GET', '/console/account', { headers: ann.headers });
    expect(body.device_keys).toEqual([
      { id: kept?.id, name: 'Desk', key_id: key.id, created_at: t.clock.now(), last_used_at: null },
    ]);
    t.clock.advance(15 * 60 + 1);
    expect(code(await remove(ann))).toEqual([403, 'proof_required']);
    expect((await keys()).length).toBe(1);
    const present = await signedIn(t.gate, userId);
    expect((await remove(present)).status).toBe(204);
    expect(await keys()).toEqual([]);
    const [event] = await t.events(t.projectId, 'device_key.removed');
    expect(event?.data).toMatchObject({ device_key_id: kept?.id, key_id: key.id });
  });

  it('is included in the key file of its person', async () => {
    const key = new SoftwareDeviceKey();
    await enrol(key);
    const { body } = await t.call('GET', '/console/account/passkeys/export', { headers: ann.headers });
    expect(body).toEqual({
      version: 1,
      approvers: [
        {
          email: 'ann@example.org',
          keys: [],
          device_keys: [{ id: key.id, public_key: key.jwk, created_at: t.clock.now() }],
        },
      ],
    });
  });

  it('is deleted when its person is erased', async () => {
    await enrol(new SoftwareDeviceKey());
    await removeMember(t.gate, t.operator, { projectId: t.projectId, userId });
    await erasePerson(t.gate, t.operator, { projectId: t.projectId, person: userId });
    expect(await keys()).toEqual([]);
  });
});

it('the person is notified by email of a program that got a token, and of keys added and removed', async () => {
  const gate = { ...t.gate, reach: { ...t.gate.reach, mail: true } };
  const caller = await ann.caller();
  const address = '203.0.113.7';
  const confirm = async (wanted: Parameters<typeof startPairing>[1]) => {
    const { pairing, deviceCode } = await startPairing(gate, wanted);
    const { id: pairingId, userCode } = pairing;
    await answerPairing(gate, caller, { pairingId, userCode, decision: 'approve' });
    return pollPairing(gate, deviceCode);
  };
  await confirm({ purpose: 'token', name: 'laptop', address });
  const { jwk } = new SoftwareDeviceKey();
  await confirm({ purpose: 'device_key', name: 'desk', publicKey: jwk, address });
  const [key] = await gate.storage.read.listDeviceKeys(userId);
  await removeDeviceKey(gate, caller, { id: String(key?.id) });
  const told = await gate.storage.read.listDueDeliveries({ channel: 'mail', now: t.clock.now(), limit: 10 });
  expect(told.map(({ userId: to, detail }) => [to, detail])).toEqual([
    [userId, { notice: 'program_connected', name: 'laptop', address }],
    [userId, { notice: 'device_key_added', name: 'desk', address }],
    [userId, { notice: 'device_key_removed', name: 'desk' }],
  ]);
});
