/** Sign-in with a real OpenID provider, and the attacks on it that must fail. */
import { createSecretKey } from 'node:crypto';
import { decodeJwt, generateKeyPair, SignJWT } from 'jose';
import { generateSync } from 'otplib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createInvitation } from '../../src/people/invitations/create-invitation.ts';
import type { Person } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { BrowserAt, givePassword, PASSWORD } from './at-the-console.ts';
import { type RunningProvider, runOidcProvider } from './run-oidc-provider.ts';

const CALLBACK = 'http://localhost:4000/console/oidc/example/callback';

let provider: RunningProvider;
beforeAll(async () => {
  provider = await runOidcProvider(CALLBACK);
});
afterAll(() => provider.close());

let t: TestApp;
let ann: Person;
beforeEach(async () => {
  provider.person = { sub: 'ann-at-provider', email: 'ann@example.org', email_verified: true };
  provider.declines = false;
  provider.forgeIdToken = undefined;
  provider.amr = undefined;
  t = await openTestApp({ mode: 'live', config: { oidc: [settings()] } });
  // The provider signs with the real clock, so the gate's clock is set to the same time.
  t.clock.set(new Date().toISOString());
  ann = await t.addPerson('ann@example.org', 'approver');
});
afterEach(() => t.close());

function settings(more: { id?: string; issuer?: string; secret?: string } = {}) {
  return {
    id: more.id ?? 'example',
    name: 'Example',
    issuer: new URL(more.issuer ?? provider.issuer),
    clientId: provider.clientId,
    clientSecret: createSecretKey(Buffer.from(more.secret ?? provider.clientSecret)),
    scope: 'openid email',
  };
}

/** Starts a sign-in and returns the provider's URL and the browser's cookie. */
async function leave(returnTo?: string) {
  const query = returnTo === undefined ? '' : `?return_to=${encodeURIComponent(returnTo)}`;
  const answer = await t.call('GET', `/console/oidc/example/start${query}`);
  expect(answer.status).toBe(302);
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
  return { cookie, to: String(answer.headers.location), setCookie: String(answer.headers['set-cookie']) };
}

/** Returns from the provider to the gate, with the given cookie. */
async function comeBack(url: string, cookie: string) {
  const { pathname, search } = new URL(url);
  const answer = await t.call('GET', pathname + search, { headers: cookie === '' ? {} : { cookie } });
  const cookies = [answer.headers['set-cookie'] ?? []].flat() as string[];
  const session = cookies.find((one) => one.startsWith('__Host-permitry_session='))?.split(';')[0] ?? null;
  const browser = new BrowserAt(t);
  browser.cookie = session;
  return { status: answer.status, to: String(answer.headers.location), session, browser, cookies };
}

async function signIn(returnTo?: string) {
  const { cookie, to } = await leave(returnTo);
  return comeBack(await provider.signIn(to), cookie);
}

const problem = (name: string) => `http://localhost:4000/sign-in?problem=${name}`;
const linked = () => t.gate.storage.read.listIdentities(ann.userId);

describe('signing in through a provider', () => {
  test('links a member by the verified address and returns to the requested page', async () => {
    const { status, to, browser, cookies } = await signIn('/approve/int_1?x=1');
    expect([status, to]).toEqual([302, 'http://localhost:4000/approve/int_1?x=1']);
    expect(await browser.whoAmI()).toBe('ann@example.org');
    expect(await linked()).toMatchObject([
      {
        provider: 'example',
        issuer: provider.issuer,
        subject: 'ann-at-provider',
        display: 'ann@example.org',
      },
    ]);
    expect(cookies.find((one) => one.startsWith('__Host-permitry_oidc='))).toContain('Max-Age=0');
    const [event] = await t.events(t.projectId, 'identity.linked');
    expect(event).toMatchObject({ actor: { id: ann.userId }, data: { provider: 'example' } });
    expect((await browser.get('/account')).body.identities).toMatchObject([
      { provider: 'Example', display: 'ann@example.org' },
    ]);
  });

  test('matches later sign-ins by issuer and subject, even after the address changes', async () => {
    await signIn();
    provider.person = { sub: 'ann-at-provider', email: 'ann.married@example.org', email_verified: false };
    expect(await (await signIn()).browser.whoAmI()).toBe('ann@example.org');
    expect(await linked()).toHaveLength(1);
  });

  test('starts with PKCE, state, nonce and an HttpOnly, SameSite cookie for the way back', async () => {
    const { to, setCookie } = await leave();
    const asked = new URL(to).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: CALLBACK,
      state: expect.any(String),
      nonce: expect.any(String),
    });
    expect(setCookie).toMatch(/^__Host-permitry_oidc=v1\.[\w-]+; .*Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(setCookie).not.toContain(asked.get('state') ?? '-');
  });

  test('ends the session that the browser came with', async () => {
    const first = await signIn();
    const { cookie, to } = await leave();
    const second = await comeBack(await provider.signIn(to), `${cookie}; ${first.session}`);
    expect(await second.browser.whoAmI()).toBe('ann@example.org');
    expect(await first.browser.whoAmI()).toBeNull();
  });

  test('signs an invited person in, who becomes a member only by accepting the invitation', async () => {
    const { link } = await createInvitation(t.gate, t.operator, {
      projectId: t.projectId,
      email: 'new@example.org',
      role: 'viewer',
    });
    provider.person = { sub: 'new', email: 'New@example.org', email_verified: true };
    const { browser } = await signIn();
    expect((await browser.get('/session')).body.memberships).toEqual([]);
    const accepted = await browser.post('/invitations/accept', { token: link?.split('#')[1] });
    expect(accepted.status).toBe(200);
    expect((await browser.get('/session')).body.memberships).toMatchObject([{ role: 'viewer' }]);
  });
});

describe('a provider sign-in is refused', () => {
  test.each([
    ['an address that was not verified', { email_verified: false }, 'email_not_verified'],
    ['an address without a verification claim', { email_verified: undefined }, 'email_not_verified'],
    ['an unknown person', { email: 'stranger@example.org' }, 'unknown_person'],
  ])('for %s', async (_what, more, name) => {
    const { email_verified: verified, ...person } = { ...provider.person, ...more };
    provider.person = { ...person, ...(verified === undefined ? {} : { email_verified: verified }) };
    const { to, session } = await signIn();
    expect([to, session]).toEqual([problem(name), null]);
    expect(await linked()).toEqual([]);
    expect(await t.gate.storage.read.findUserByEmail('stranger@example.org')).toBeUndefined();
  });

  test('for another person at the provider who took over the address', async () => {
    await signIn();
    provider.person = { sub: 'somebody-else', email: 'ann@example.org', email_verified: false };
    expect((await signIn()).to).toBe(problem('email_not_verified'));
  });

  test('for a person who declined at the provider', async () => {
    provider.declines = true;
    const { to, session } = await signIn();
    expect([to, session]).toEqual([problem('provider_refused'), null]);
  });
});

describe('an ID token', () => {
  /** The token with a changed header, claims or signature. */
  function respell(token: string, changes: { header?: object; claims?: object; signature?: string }): string {
    const [header = '', claims = '', signature = ''] = token.split('.');
    const changed = (part: string, change?: object): string =>
      change === undefined
        ? part
        : Buffer.from(
            JSON.stringify({ ...JSON.parse(String(Buffer.from(part, 'base64url'))), ...change }),
          ).toString('base64url');
    return [
      changed(header, changes.header),
      changed(claims, changes.claims),
      changes.signature ?? signature,
    ].join('.');
  }
  async function signWithAnotherKey(token: string): Promise<string> {
    const { privateKey } = await generateKeyPair('RS256');
    const header = JSON.parse(String(Buffer.from(token.split('.')[0] ?? '', 'base64url'))) as { kid: string };
    return new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'RS256', kid: header.kid })
      .sign(privateKey);
  }
  const signWithSecret = (token: string): Promise<string> =>
    new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(provider.clientSecret));
  const signWithSubject =
    (sub: string) =>
    (token: string): Promise<string> =>
      // Includes the email address, so that the gate does not ask for it under the other subject.
      provider.sign({ ...decodeJwt(token), email: 'ann@example.org', email_verified: true, sub });

  test.each<[string, (token: string) => string | Promise<string>]>([
    ['the signature AAAA', (token) => respell(token, { signature: 'AAAA' })],
    ['no signature', (token) => respell(token, { signature: '' })],
    ['no algorithm', (token) => respell(token, { header: { alg: 'none' }, signature: '' })],
    ['another subject than was signed', (token) => respell(token, { claims: { sub: 'somebody-else' } })],
    ['the signature of another key', signWithAnotherKey],
    ['an unknown key', (token) => respell(token, { header: { kid: 'unknown' } })],
    ['the gate’s secret as its key', signWithSecret],
    ['an empty subject', signWithSubject('')],
    ['a blank subject', signWithSubject(' ')],
    ['a subject of 256 characters', signWithSubject('a'.repeat(256))],
    ['a subject that is not ASCII', signWithSubject('a\u00e9')],
    ['a subject with a control character', signWithSubject('a\nb')],
  ])('signs nobody in with %s', async (_what, forge) => {
    provider.forgeIdToken = forge;
    const { to, session } = await signIn();
    expect([to, session]).toEqual([problem('provider_refused'), null]);
    expect(await linked()).toEqual([]);
  });

  test('with a wrong signature signs nobody in, even under a linked identity', async () => {
    await signIn();
    provider.forgeIdToken = (token) => respell(token, { signature: 'AAAA' });
    const { to, session } = await signIn();
    expect([to, session]).toEqual([problem('provider_refused'), null]);
  });

  test('with a subject of 255 characters is accepted', async () => {
    provider.forgeIdToken = signWithSubject('a'.repeat(255));
    expect(await (await signIn()).browser.whoAmI()).toBe('ann@example.org');
  });
});

describe('with an authenticator app', () => {
  let secret: string;
  let recoveryCodes: string[];
  const codeNow = () => generateSync({ secret, epoch: Date.parse(t.clock.now()) / 1000 });

  beforeEach(async () => {
    const { browser } = await signIn();
    secret = String((await browser.post('/account/totp')).body.secret);
    const confirmed = await browser.post('/account/totp/confirm', { code: codeNow() });
    recoveryCodes = confirmed.body.recovery_codes as string[];
    await browser.post('/sign-out');
    t.clock.advance(40);
  });

  /** The parameters after the `#`, which the page reads. */
  function stepOf(to: string): { ticket: string; methods: string } {
    const url = new URL(to);
    expect([url.origin, url.pathname]).toEqual(['http://localhost:4000', '/sign-in']);
    return Object.fromEntries(new URLSearchParams(url.hash.slice(1))) as { ticket: string; methods: string };
  }
  const methodsOfSessions = async () =>
    (await t.gate.storage.read.listSessions(ann.userId)).map(({ methods }) => methods);

  test.each([
    ['reports no methods', undefined],
    ['required only a password', ['pwd']],
    ['sent a text message', ['pwd', 'sms']],
  ])('a sign-in through a provider that %s also needs the app’s code', async (_says, amr) => {
    provider.amr = amr;
    const { to, session, browser } = await signIn('/approve/int_1?x=1');
    expect(session).toBeNull();
    expect(new URL(to).searchParams.get('return_to')).toBe('/approve/int_1?x=1');
    const { ticket, methods } = stepOf(to);
    expect(methods).toBe('totp recovery_code');
    expect(await methodsOfSessions()).toEqual([]);

    const wrong = await browser.post('/sign-in/second-factor', { ticket, code: '000000' });
    expect([wrong.status, wrong.body.error]).toMatchObject([400, { code: 'invalid_proof' }]);
    expect(await browser.whoAmI()).toBeNull();
    expect((await browser.post('/sign-in/second-factor', { ticket, code: codeNow() })).status).toBe(200);
    expect(await browser.whoAmI()).toBe('ann@example.org');
    expect(await methodsOfSessions()).toEqual([['oidc', 'totp']]);
    expect((await browser.post('/sign-in/second-factor', { ticket, code: codeNow() })).status).toBe(401);
  });

  test('a sign-in through a provider also accepts a recovery code', async () => {
    const { to, browser } = await signIn();
    const { ticket } = stepOf(to);
    const [code] = recoveryCodes;
    expect((await browser.post('/sign-in/second-factor', { ticket, code })).status).toBe(200);
    expect(await methodsOfSessions()).toEqual([['oidc', 'recovery_code']]);
  });

  test('a sign-in needs no code if the provider required a second factor itself', async () => {
    provider.amr = ['pwd', 'otp', 'mfa'];
    const { to, browser } = await signIn('/history');
    expect(to).toBe('http://localhost:4000/history');
    expect(await browser.whoAmI()).toBe('ann@example.org');
    expect(await methodsOfSessions()).toEqual([['oidc']]);
  });

  test('a sign-in fails, even with the right code, if the identity was removed in the meantime', async () => {
    const { to, browser } = await signIn();
    const { ticket } = stepOf(to);
    provider.amr = ['mfa'];
    const { browser: own } = await signIn();
    const [identity] = await linked();
    expect((await own.send('DELETE', `/account/identities/${identity?.id}`)).status).toBe(409);
    await givePassword(t.gate, ann.userId, PASSWORD);
    expect((await own.send('DELETE', `/account/identities/${identity?.id}`)).status).toBe(204);
    const late = await browser.post('/sign-in/second-factor', { ticket, code: codeNow() });
    expect([late.status, late.body.error]).toMatchObject([401, { code: 'unauthorized' }]);
    expect(await browser.whoAmI()).toBeNull();
  });

  test('the previous session of the browser lasts until the code is correct', async () => {
    provider.amr = ['mfa'];
    const { browser } = await signIn();
    provider.amr = undefined;
    const { cookie, to } = await leave();
    const back = new URL(await provider.signIn(to));
    const answer = await t.call('GET', back.pathname + back.search, {
      headers: { cookie: `${cookie}; ${browser.cookie}` },
    });
    const { ticket } = stepOf(String(answer.headers.location));
    expect(await browser.whoAmI()).toBe('ann@example.org');
    expect((await browser.post('/sign-in/second-factor', { ticket, code: codeNow() })).status).toBe(200);
    expect(await methodsOfSessions()).toEqual([['oidc', 'totp']]);
  });
});

describe('the return from the provider', () => {
  test('fails without the cookie, with that of another browser, or after ten minutes', async () => {
    const { cookie, to } = await leave();
    const back = await provider.signIn(to);
    const others = await leave();
    const outcomes = [
      await comeBack(back, ''),
      await comeBack(back, others.cookie),
      await comeBack(back, `${cookie.slice(0, -3)}AAA`),
    ];
    t.clock.advance(601);
    outcomes.push(await comeBack(back, cookie));
    expect(outcomes.map(({ to: where }) => where)).toEqual([
      problem('sign_in_expired'),
      problem('provider_refused'),
      problem('sign_in_expired'),
      problem('sign_in_expired'),
    ]);
    expect(outcomes.map(({ session }) => session)).toEqual([null, null, null, null]);
    expect(await linked()).toEqual([]);
  });

  test('fails with a changed state, another issuer or an unknown code', async () => {
    for (const change of [
      (url: URL) => url.searchParams.set('state', 'x'),
      (url: URL) => url.searchParams.set('iss', 'https://evil.example'),
      (url: URL) => url.searchParams.delete('iss'),
      (url: URL) => url.searchParams.set('code', 'x'),
      (url: URL) => {
        url.search = '';
      },
    ]) {
      const { cookie, to } = await leave();
      const back = new URL(await provider.signIn(to));
      change(back);
      const outcome = await comeBack(back.href, cookie);
      expect([outcome.to, outcome.session]).toEqual([problem('provider_refused'), null]);
    }
  });

  test('signs in only once with the same code', async () => {
    const { cookie, to } = await leave();
    const back = await provider.signIn(to);
    expect((await comeBack(back, cookie)).session).not.toBeNull();
    expect((await comeBack(back, cookie)).to).toBe(problem('provider_refused'));
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'inbox',
    '/.//evil.example',
    '/sign-in?return_to=/sign-in',
    '/%0d%0aset-cookie:x=1/..//evil',
  ])('never leads to another site: %s', async (asked) => {
    const { to } = await signIn(asked);
    expect(new URL(to).origin).toBe('http://localhost:4000');
    expect(to).not.toMatch(/[\r\n\\]/);
  });
});

describe('a provider', () => {
  test('that is down does not keep the gate from starting, and is called again at the next sign-in', async () => {
    const gone = settings({ id: 'gone', issuer: 'http://127.0.0.1:1' });
    const other = await openTestApp({ config: { oidc: [gone] } });
    const listed = await other.call('GET', '/console/session');
    expect(listed.body.oidc).toEqual([{ id: 'gone', name: 'Example' }]);
    for (let times = 0; times < 2; times += 1) {
      const answer = await other.call('GET', '/console/oidc/gone/start');
      expect(answer.headers.location).toBe(problem('provider_unavailable'));
    }
    const unknown = await other.call('GET', '/console/oidc/nobody/start');
    expect(unknown.headers.location).toBe(problem('provider_unavailable'));
    await other.close();
  });

  test('that refuses the gate’s secret signs nobody in, and no secret is logged', async () => {
    const wrong = settings({ secret: 'not the secret' });
    const other = await openTestApp({ config: { oidc: [wrong] } });
    const start = await other.call('GET', '/console/oidc/example/start');
    const back = new URL(await provider.signIn(String(start.headers.location)));
    const [cookie = ''] = String(start.headers['set-cookie']).split(';');
    const answer = await other.call('GET', back.pathname + back.search, { headers: { cookie } });
    expect(answer.headers.location).toBe(problem('provider_refused'));
    expect(other.log()).not.toContain('not the secret');
    expect(other.log()).not.toContain(back.searchParams.get('code'));
    await other.close();
  });
});
