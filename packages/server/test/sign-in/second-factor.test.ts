import { generateSync } from 'otplib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Person } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { BrowserAt, givePassword, PASSWORD } from './at-the-console.ts';

let t: TestApp;
let ann: Person;
let home: BrowserAt;
let secret: string;
let recoveryCodes: string[];
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'approver');
  await givePassword(t.gate, ann.userId, PASSWORD);
  home = new BrowserAt(t);
  await home.post('/sign-in', { email: 'ann@example.org', password: PASSWORD });
  ({ secret, recoveryCodes } = await enrol());
  t.clock.advance(60);
});
afterEach(() => t.close());

/** The code that the app shows `later` seconds from now. */
const codeNow = (later = 0) => generateSync({ secret, epoch: Date.parse(t.clock.now()) / 1000 + later });

async function enrol(): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { body } = await home.post('/account/totp');
  secret = String(body.secret);
  const confirmed = await home.post('/account/totp/confirm', { code: codeNow() });
  expect(confirmed.status).toBe(200);
  return { secret, recoveryCodes: confirmed.body.recovery_codes as string[] };
}

async function firstStep(browser: BrowserAt): Promise<string> {
  const { body } = await browser.post('/sign-in', { email: 'ann@example.org', password: PASSWORD });
  expect(body).toMatchObject({ status: 'second_factor', methods: ['totp', 'recovery_code'] });
  return String(body.ticket);
}

async function statusOf(browser: BrowserAt, ticket: string, code: string): Promise<number> {
  return (await browser.post('/sign-in/second-factor', { ticket, code })).status;
}

test('a person with an authenticator app signs in with the password and a code, not with the password alone', async () => {
  const browser = new BrowserAt(t);
  const ticket = await firstStep(browser);
  expect(await browser.whoAmI()).toBeNull();
  expect(await statusOf(browser, ticket, codeNow())).toBe(200);
  expect(await browser.whoAmI()).toBe('ann@example.org');
  const [session] = await t.gate.storage.read.listSessions(ann.userId);
  expect(session?.methods).toEqual(['password', 'totp']);
});

test('a code is accepted when the app’s clock is 30 seconds off, but not 90', async () => {
  for (const [seconds, status] of [
    [-30, 200],
    [30, 200],
    [-90, 400],
    [90, 400],
  ] as const) {
    t.clock.advance(300);
    const browser = new BrowserAt(t);
    expect([seconds, await statusOf(browser, await firstStep(browser), codeNow(seconds))]).toEqual([
      seconds,
      status,
    ]);
  }
});

describe('the second step', () => {
  test('accepts neither a used code nor an earlier one', async () => {
    const [one, two] = [new BrowserAt(t), new BrowserAt(t)];
    const [first, second] = [await firstStep(one), await firstStep(two)];
    expect(await statusOf(one, first, codeNow())).toBe(200);
    expect(await statusOf(two, second, codeNow())).toBe(400);
    expect(await statusOf(two, second, codeNow(-30))).toBe(400);
    expect(await two.whoAmI()).toBeNull();
    t.clock.advance(30);
    expect(await statusOf(two, second, codeNow())).toBe(200);
  });

  test('lets only one of three simultaneous sign-ins use the same code', async () => {
    const browsers = [new BrowserAt(t), new BrowserAt(t), new BrowserAt(t)];
    const tickets = await Promise.all(browsers.map(firstStep));
    const statuses = await Promise.all(
      browsers.map((browser, n) => statusOf(browser, tickets[n] ?? '', codeNow())),
    );
    expect(statuses.sort()).toEqual([200, 400, 400]);
    expect(await t.gate.storage.read.listSessions(ann.userId)).toHaveLength(2);
  });

  test('lets only one of two simultaneous sign-ins use the same ticket', async () => {
    const ticket = await firstStep(new BrowserAt(t));
    const [code = '', other = ''] = recoveryCodes;
    const statuses = await Promise.all([code, other].map((one) => statusOf(new BrowserAt(t), ticket, one)));
    expect(statuses.sort()).toEqual([200, 401]);
    expect(await t.gate.storage.read.countRecoveryCodes(ann.userId)).toBe(9);
  });

  test('lets only one of two simultaneous sign-ins use the same recovery code', async () => {
    const tickets = [await firstStep(new BrowserAt(t)), await firstStep(new BrowserAt(t))];
    const [code = ''] = recoveryCodes;
    const statuses = await Promise.all(tickets.map((ticket) => statusOf(new BrowserAt(t), ticket, code)));
    expect(statuses.sort()).toEqual([200, 400]);
    expect(await t.gate.storage.read.countRecoveryCodes(ann.userId)).toBe(9);
  });

  test('accepts any spelling of a recovery code, and records its use without the code', async () => {
    const browser = new BrowserAt(t);
    const [code = ''] = recoveryCodes;
    const typed = ` ${code.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')} `;
    expect(await statusOf(browser, await firstStep(browser), typed)).toBe(200);
    const [event] = await t.events(t.projectId, 'recovery_code.used');
    expect(event).toMatchObject({ actor: { id: ann.userId }, data: { user_id: ann.userId, left: 9 } });
    expect(JSON.stringify(await t.events(t.projectId))).not.toContain(code);
  });
});

describe('a sign-in ticket', () => {
  test('allows five attempts', async () => {
    const browser = new BrowserAt(t);
    const ticket = await firstStep(browser);
    for (let tries = 0; tries < 5; tries += 1)
      expect(await statusOf(browser, ticket, 'aaaa-bbbb-cccc-dddd')).toBe(400);
    expect(await statusOf(browser, ticket, codeNow())).toBe(401);
    expect(await browser.whoAmI()).toBeNull();
  });

  test('expires after five minutes', async () => {
    const browser = new BrowserAt(t);
    const ticket = await firstStep(browser);
    t.clock.advance(301);
    expect(await statusOf(browser, ticket, codeNow())).toBe(401);
  });

  test('ends when the password changes', async () => {
    const ticket = await firstStep(new BrowserAt(t));
    const changed = await home.post('/account/password', { password: 'seven blue kettles sing' });
    expect(changed.status).toBe(200);
    expect(await statusOf(new BrowserAt(t), ticket, codeNow())).toBe(401);
  });

  test('that never existed is refused like one that ended', async () => {
    expect(await statusOf(new BrowserAt(t), 'A'.repeat(43), codeNow())).toBe(401);
    expect(await statusOf(new BrowserAt(t), 'x', codeNow())).toBe(401);
  });
});

describe('guessing codes', () => {
  test('is blocked after five wrong ones, even from different addresses, but a recovery code still works', async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      const browser = new BrowserAt(t, `198.51.100.${tries}`);
      expect(await statusOf(browser, await firstStep(browser), '000000')).toBe(400);
    }
    const browser = new BrowserAt(t);
    const ticket = await firstStep(browser);
    const limited = await browser.post('/sign-in/second-factor', { ticket, code: codeNow() });
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '15']);
    expect(await statusOf(browser, ticket, recoveryCodes[0] ?? '')).toBe(200);
    expect(await t.events(t.projectId, 'sign_in.blocked')).toHaveLength(1);
  });
});

describe('setting up an authenticator app', () => {
  test('stores the secret encrypted and gives the app a valid otpauth URI', async () => {
    const totp = await t.gate.storage.read.findTotp(ann.userId);
    expect(totp?.secret).toMatch(/^v1\./);
    expect(totp?.secret).not.toContain(secret);
    await home.send('DELETE', '/account/totp');
    const { body } = await home.post('/account/totp');
    expect(body.uri).toMatch(/^otpauth:\/\/totp\/.*ann%40example\.org\?.*secret=[A-Z2-7]{32}/);
  });

  test('gives ten recovery codes of 80 bits, and new ones replace them', async () => {
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes)
      expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
    const renewed = await home.post('/account/recovery-codes');
    expect(renewed.body.recovery_codes).toHaveLength(10);
    const browser = new BrowserAt(t);
    expect(await statusOf(browser, await firstStep(browser), recoveryCodes[0] ?? '')).toBe(400);
  });

  test('is a conflict when one is set up already, and changes nothing', async () => {
    const answer = await home.post('/account/totp');
    expect([answer.status, answer.body.error]).toMatchObject([409, { code: 'conflict' }]);
    const browser = new BrowserAt(t);
    expect(await statusOf(browser, await firstStep(browser), codeNow())).toBe(200);
  });

  test('takes effect with the first correct code and ends with the removal', async () => {
    expect((await home.send('DELETE', '/account/totp')).status).toBe(204);
    await home.post('/account/totp');
    const browser = new BrowserAt(t);
    expect((await browser.post('/sign-in', { email: 'ann@example.org', password: PASSWORD })).body).toEqual({
      status: 'signed_in',
    });
    expect((await home.post('/account/totp/confirm', { code: '000000' })).status).toBe(400);
    expect((await t.gate.storage.read.findTotp(ann.userId))?.confirmedAt).toBeNull();
    const told = await t.events(t.projectId, 'second_factor.enabled', 'second_factor.removed');
    expect(told.map(({ type }) => type)).toEqual(['second_factor.enabled', 'second_factor.removed']);
  });

  test('requires that the person has recently confirmed their presence', async () => {
    t.clock.advance(15 * 60);
    const refused = [
      await home.post('/account/totp'),
      await home.send('DELETE', '/account/totp'),
      await home.post('/account/recovery-codes'),
      await home.post('/account/totp/confirm', { code: codeNow() }),
    ];
    expect(refused.map(({ body }) => (body.error as { code: string }).code)).toEqual(
      refused.map(() => 'proof_required'),
    );
    expect((await t.gate.storage.read.findTotp(ann.userId))?.confirmedAt).not.toBeNull();
    expect((await home.post('/session/confirm', { password: PASSWORD })).body).toEqual({
      status: 'confirmed',
    });
    expect((await home.post('/account/recovery-codes')).status).toBe(200);
  });
});
