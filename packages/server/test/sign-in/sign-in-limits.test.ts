/** Made-up account names and addresses neither lift the sign-in limits nor lock anyone out. */
import { generateSync } from 'otplib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GateError } from '../../src/gate/kernel/errors.ts';
import { requestPasswordReset } from '../../src/people/recovery/password-reset.ts';
import { SignInLimits } from '../../src/people/sign-in-tries/sign-in-limits.ts';
import { countTry } from '../../src/people/sign-in-tries/sign-in-tries.ts';
import type { Transaction } from '../../src/storage/nouns.ts';
import { type EmptyTestGate, openEmptyTestGate, type Person } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { BrowserAt, givePassword, PASSWORD } from './at-the-console.ts';

const NOON = '2026-11-20T12:00:00.000Z';

describe('sign-in limits', () => {
  let t: EmptyTestGate;
  let limits: SignInLimits;
  beforeEach(async () => {
    t = await openEmptyTestGate();
    limits = limitsOfOneMore();
  });
  afterEach(() => t.close());

  /** The limits of another gate on the same database. */
  function limitsOfOneMore(): SignInLimits {
    return new SignInLimits({ storage: t.storage, clock: { now: () => NOON } });
  }

  async function outcomes(
    tries: number,
    begin: (n: number) => Promise<unknown>,
  ): Promise<{ let: number; refused: number }> {
    const counted = { let: 0, refused: 0 };
    for (let n = 0; n < tries; n += 1) {
      try {
        await begin(n);
        counted.let += 1;
      } catch (error) {
        if (!(error instanceof GateError && error.code === 'rate_limited')) throw error;
        counted.refused += 1;
      }
    }
    return counted;
  }
  const networkOf = (n: number) => `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`;

  it('apply to an account that comes after attempts on 100 others', async () => {
    await outcomes(100, (n) => limits.begin(`account${n}@example.org`, networkOf(n >> 4)));
    expect(await outcomes(40, (n) => limits.begin('ann@example.org', networkOf(60_000 + n)))).toEqual({
      let: 20,
      refused: 20,
    });
  });

  it('apply to an address that comes after attempts from 100 others', async () => {
    await outcomes(100, (n) => limits.begin(`account${n >> 4}@example.org`, networkOf(n)));
    expect(await outcomes(60, (n) => limits.begin(`other${n}@example.org`, networkOf(70_000)))).toEqual({
      let: 30,
      refused: 30,
    });
  });

  it('pass no more attempts per second to the database than can be checked', async () => {
    const tries = Array.from({ length: 1000 }, (_, n) =>
      limits.begin(`account${n}@example.org`, networkOf(n)).then(
        () => 'let',
        (error) => (error instanceof GateError ? error.code : 'failed'),
      ),
    );
    const said = await Promise.all(tries);
    // All attempts fall within one or two seconds.
    expect(said.filter((word) => word === 'let').length).toBeLessThanOrEqual(400);
    expect(said.filter((word) => word === 'service_unavailable').length).toBeGreaterThanOrEqual(600);
  });

  it('keep a single address from using up the attempts of all', async () => {
    const flood = Array.from({ length: 1000 }, (_, n) =>
      limits.begin(`account${n}@example.org`, '192.0.2.9').catch((error: GateError) => error.code),
    );
    await limits.begin('ann@example.org', '198.51.100.1');
    const said = await Promise.all(flood);
    expect(said.filter((word) => word === 'rate_limited')).toHaveLength(970);
  });

  it('still count the failures after another attempt was withdrawn', async () => {
    const taken = await limits.begin('ann@example.org', '192.0.2.9');
    for (let n = 0; n < 4; n += 1) await limits.begin('ann@example.org', '192.0.2.9');
    await taken.withdrawn();
    expect(await outcomes(3, () => limits.begin('ann@example.org', '192.0.2.9'))).toEqual({
      let: 0,
      refused: 3,
    });
  });

  it('do not count withdrawn attempts', async () => {
    for (let n = 0; n < 50; n += 1) {
      const taken = await limits.begin('ann@example.org', '192.0.2.9');
      await taken.withdrawn();
    }
    expect(await outcomes(6, () => limits.begin('ann@example.org', '192.0.2.9'))).toEqual({
      let: 5,
      refused: 1,
    });
  });

  it('count the attempts at all gates together', async () => {
    const gates = [limits, limitsOfOneMore(), limitsOfOneMore()];
    const at = (n: number) => gates[n % gates.length] ?? limits;
    const said = await Promise.all(
      Array.from({ length: 45 }, (_, n) => outcomes(1, () => at(n).begin('ann@example.org', networkOf(n)))),
    );
    expect(said.reduce((sum, { let: one }) => sum + one, 0)).toBe(20);
    const other = await outcomes(9, (n) => at(n).begin('bob@example.org', '192.0.2.9'));
    expect(other).toEqual({ let: 5, refused: 4 });
  });

  it('recognise at every gate an address from which the person has signed in', async () => {
    const home = await limits.begin('ann@example.org', '192.0.2.9');
    await home.succeeded();
    await outcomes(40, (n) => limits.begin('ann@example.org', networkOf(n)));
    await expect(limitsOfOneMore().begin('ann@example.org', '192.0.2.10')).rejects.toThrow(
      'Too many attempts',
    );
    await limitsOfOneMore().begin('ann@example.org', '192.0.2.9');
  });

  it('store neither accounts nor addresses in clear', async () => {
    const asked: unknown[] = [];
    const tried = { account: 'ann@example.org', address: '192.0.2.9' };
    await t.storage.transaction((tx) => countTry(overheard(tx, asked), tried, NOON));
    expect(asked.length).toBeGreaterThan(5);
    expect(JSON.stringify(asked)).not.toMatch(/ann|192/);
  });
});

/** Records every argument that the storage gets. */
function overheard(tx: Transaction, asked: unknown[]): Transaction {
  return new Proxy(tx, {
    get(of, name) {
      const method: unknown = Reflect.get(of, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        asked.push(args);
        return method.apply(of, args);
      };
    },
  });
}

describe('an account name that is not an address', () => {
  let t: TestApp;
  let ann: Person;
  beforeEach(async () => {
    t = await openTestApp({ mode: 'live' });
    ann = await t.addPerson('ann@example.org', 'approver');
    await givePassword(t.gate, ann.userId, PASSWORD);
  });
  afterEach(() => t.close());

  /** As many attempts as one account allows per minute, from addresses that each have attempts left. */
  async function strangersTry(email: string): Promise<void> {
    for (let n = 0; n < 20; n += 1)
      await new BrowserAt(t, `203.0.113.${n}`).post('/sign-in', { email, password: 'a wrong password' });
  }

  it('uses up nobody’s reset links', async () => {
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

  it('uses up nobody’s authenticator attempts', async () => {
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

  it('keeps its shared limit on codes after a correct one', async () => {
    const limits = t.gate.signInLimits;
    await (await limits.begin(`code ${ann.userId}`, null)).succeeded();
    for (let n = 0; n < 20; n += 1) {
      await limits.begin(`code ${ann.userId}`, null);
      await limits.welcome(`code ${ann.userId}`, null);
    }
    await expect(limits.begin(`code ${ann.userId}`, null)).rejects.toThrow('Too many attempts');
  });
});
