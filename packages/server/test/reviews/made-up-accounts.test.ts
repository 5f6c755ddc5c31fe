/** What strangers write where an address belongs sets nobody free, and shuts nobody out. */
import { generateSync } from 'otplib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SignInLimits } from '../../src/gate/access/sign-in-limits.ts';
import { GateError } from '../../src/gate/errors.ts';
import { requestPasswordReset } from '../../src/identity/recovery/password-reset.ts';
import type { Person } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http-shared/open-test-app.ts';
import { BrowserAt, givePassword, PASSWORD } from '../sign-in/at-the-console.ts';

describe('limits', () => {
  let limits: SignInLimits;
  beforeEach(() => {
    limits = new SignInLimits(() => Date.parse('2026-11-20T12:00:00.000Z'));
  });

  function outcomes(tries: number, begin: (n: number) => unknown): { let: number; refused: number } {
    const counted = { let: 0, refused: 0 };
    for (let n = 0; n < tries; n += 1) {
      try {
        begin(n);
        counted.let += 1;
      } catch (error) {
        if (!(error instanceof GateError && error.code === 'rate_limited')) throw error;
        counted.refused += 1;
      }
    }
    return counted;
  }
  const networkOf = (n: number) => `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`;

  it('hold for an account that comes after more names than are kept', () => {
    outcomes(50_000, (n) => limits.begin(`account${n}@example.org`, networkOf(n >> 4)));
    expect(outcomes(40, (n) => limits.begin('ann@example.org', networkOf(60_000 + n)))).toEqual({
      let: 20,
      refused: 20,
    });
  });

  it('hold for an address that comes after more than are kept', () => {
    outcomes(50_000, (n) => limits.begin(`account${n >> 4}@example.org`, networkOf(n)));
    expect(outcomes(60, (n) => limits.begin(`other${n}@example.org`, networkOf(70_000)))).toEqual({
      let: 30,
      refused: 30,
    });
  });

  it('keep the failures beside a try that was taken back', () => {
    const taken = limits.begin('ann@example.org', '192.0.2.9');
    for (let n = 0; n < 4; n += 1) limits.begin('ann@example.org', '192.0.2.9');
    taken.withdrawn();
    expect(outcomes(3, () => limits.begin('ann@example.org', '192.0.2.9'))).toEqual({ let: 0, refused: 3 });
  });

  it('forget a try that was taken back', () => {
    for (let n = 0; n < 50; n += 1) limits.begin('ann@example.org', '192.0.2.9').withdrawn();
    expect(outcomes(6, () => limits.begin('ann@example.org', '192.0.2.9'))).toEqual({ let: 5, refused: 1 });
  });
});

describe('an account that is no address', () => {
  let t: TestApp;
  let ann: Person;
  beforeEach(async () => {
    t = await openTestApp({ mode: 'live' });
    ann = await t.addPerson('ann@example.org', 'approver');
    await givePassword(t.gate, ann.userId, PASSWORD);
  });
  afterEach(() => t.close());

  /** As many as one account takes in a minute, from addresses that each have a few tries. */
  async function strangersTry(email: string): Promise<void> {
    for (let n = 0; n < 20; n += 1)
      await new BrowserAt(t, `203.0.113.${n}`).post('/sign-in', { email, password: 'a wrong password' });
  }

  it('uses up nobody’s links for a new password', async () => {
    const sent: string[] = [];
    const accountMail = {
      ...t.gate.accountMail,
      configured: true,
      passwordReset: ({ to }: { to: string }) => void sent.push(to),
    };
    await strangersTry('reset ann@example.org');
    await requestPasswordReset({ ...t.gate, accountMail }, { email: ann.email, address: '198.51.100.1' });
    expect(sent).toEqual([ann.email]);
  });

  it('uses up nobody’s tries with an authenticator app', async () => {
    const home = new BrowserAt(t);
    await home.post('/sign-in', { email: ann.email, password: PASSWORD });
    const { secret } = (await home.post('/account/totp')).body;
    const codeNow = () => generateSync({ secret: String(secret), epoch: Date.parse(t.clock.now()) / 1000 });
    await home.post('/account/totp/confirm', { code: codeNow() });
    t.clock.advance(60);
    await strangersTry(`code ${ann.userId}`);
    const browser = new BrowserAt(t, '198.51.100.1');
    const { ticket } = (await browser.post('/sign-in', { email: ann.email, password: PASSWORD })).body;
    const second = await browser.post('/sign-in/second-factor', { ticket, code: codeNow() });
    expect(second.status).toBe(200);
    expect(await t.events(t.projectId, 'sign_in.blocked')).toEqual([]);
  });

  it('codes are limited together also after one was right', async () => {
    const limits = t.gate.signInLimits;
    limits.begin(`code ${ann.userId}`, null).succeeded();
    for (let n = 0; n < 20; n += 1) {
      limits.begin(`code ${ann.userId}`, null);
      limits.welcome(`code ${ann.userId}`, null);
    }
    expect(() => limits.begin(`code ${ann.userId}`, null)).toThrow('Too many tries');
  });
});
