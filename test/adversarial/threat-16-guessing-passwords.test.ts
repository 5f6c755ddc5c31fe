/** Threat 16 for passwords: guessing reveals nothing, is slowed down, and locks nobody out except the attacker. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { enrolPasskey } from '../../packages/server/test/fixtures/enrol-passkey.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { BrowserAt, givePassword, PASSWORD } from '../../packages/server/test/sign-in/at-the-console.ts';
import { type Arena, openArena } from './open-arena.ts';

let t: Arena;
let ann: Person;
beforeEach(async () => {
  t = await openArena({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'approver');
  await givePassword(t.gate, ann.userId, PASSWORD);
});
afterEach(() => t.close());

async function guess(address: string, email = 'ann@example.org', password = 'a wrong password') {
  const { status, headers } = await new BrowserAt(t, address).post('/sign-in', { email, password });
  return { status, retryAfter: headers['retry-after'] };
}

const statusesOf = async (attempts: readonly (() => ReturnType<typeof guess>)[]) => {
  const statuses = [];
  for (const attempt of attempts) statuses.push((await attempt()).status);
  return statuses;
};

describe('an address that guesses the password of one account', () => {
  it('waits after five failures, twice as long each time, for unknown accounts too', async () => {
    for (const email of ['ann@example.org', 'nobody@example.org']) {
      const waits = [];
      for (let tries = 0; tries < 8; tries += 1) {
        const { status, retryAfter } = await guess('192.0.2.9', email);
        if (status === 401) continue;
        waits.push(Number(retryAfter));
        t.clock.advance(Number(retryAfter));
        expect((await guess('192.0.2.9', email)).status).toBe(401);
      }
      expect([email, waits]).toEqual([email, [15, 30, 60]]);
      t.clock.advance(3600);
    }
  });

  it('gets only five of 20 simultaneous tries', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await guess('192.0.2.9')).status),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });

  it('is refused without hashing while it has to wait, even with the right password', async () => {
    for (let tries = 0; tries < 5; tries += 1) await guess('192.0.2.9');
    const before = t.gate.passwords.runs;
    expect((await guess('192.0.2.9', 'ann@example.org', PASSWORD)).status).toBe(429);
    expect(t.gate.passwords.runs).toBe(before);
  });

  it('gains nothing from headers that name another address', async () => {
    for (let tries = 0; tries < 5; tries += 1) await guess('192.0.2.9');
    for (const headers of [{ 'x-forwarded-for': '203.0.113.1' }, { forwarded: 'for=203.0.113.1' }]) {
      const { status } = await t.call('POST', '/console/sign-in', {
        headers: { origin: 'http://localhost:4000', ...headers },
        address: '192.0.2.9',
        body: { email: 'ann@example.org', password: PASSWORD },
      });
      expect(status).toBe(429);
    }
  });
});

describe('a person whose password is being guessed', () => {
  it('signs in from elsewhere while the stranger has to wait', async () => {
    for (let tries = 0; tries < 6; tries += 1) await guess('192.0.2.9');
    expect((await guess('198.51.100.1', 'ann@example.org', PASSWORD)).status).toBe(200);
  });

  it('signs in with a passkey, however locked the password is', async () => {
    const session = await signedIn(t.gate, ann.userId);
    const { device } = await enrolPasskey(t.gate, await session.caller());
    for (let tries = 0; tries < 25; tries += 1) await guess(`203.0.113.${tries}`);
    for (let tries = 0; tries < 6; tries += 1) await guess('198.51.100.1');
    const browser = new BrowserAt(t, '198.51.100.1');
    const asked = await browser.post('/sign-in/passkey/options');
    const { ticket, options } = asked.body as { ticket: string; options: { challenge: string } };
    const answer = await browser.post('/sign-in/passkey', { ticket, response: device.authenticate(options) });
    expect(answer.status).toBe(200);
    expect(await browser.whoAmI()).toBe('ann@example.org');
  });

  it('signs in from a known address, however many strangers try, and the block is recorded once', async () => {
    expect((await guess('198.51.100.1', 'ann@example.org', PASSWORD)).status).toBe(200);
    const strangers = Array.from({ length: 25 }, (_, n) => () => guess(`203.0.113.${n}`));
    const statuses = await statusesOf(strangers);
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401));
    expect(statuses.slice(20)).toEqual(Array(5).fill(429));
    expect((await guess('203.0.113.200', 'ann@example.org', PASSWORD)).status).toBe(429);
    expect((await guess('198.51.100.1', 'ann@example.org', PASSWORD)).status).toBe(200);
    await expect.poll(() => t.events(t.projectId, 'sign_in.blocked')).toHaveLength(1);
    const [event] = await t.events(t.projectId, 'sign_in.blocked');
    expect(event).toMatchObject({ actor: { type: 'system' }, data: { user_id: ann.userId } });
    t.clock.advance(60);
    expect((await guess('203.0.113.201', 'ann@example.org', PASSWORD)).status).toBe(200);
  });
});

describe('an address that guesses the passwords of many accounts', () => {
  it('may fail thirty times a minute and no more, and an IPv6 network counts as one address', async () => {
    for (const addressOf of [() => '192.0.2.9', (n: number) => `2001:db8:0:1::${n.toString(16)}`]) {
      const statuses = await statusesOf(
        Array.from({ length: 32 }, (_, n) => () => guess(addressOf(n), `account${n}@example.org`)),
      );
      expect(statuses.filter((status) => status === 401)).toHaveLength(30);
      expect(statuses.slice(30)).toEqual([429, 429]);
    }
    expect((await guess('2001:db8:0:2::1')).status).toBe(401);
    expect((await guess('::ffff:192.0.2.9', 'somebody@example.org')).status).toBe(429);
  });
});

describe('a flood of sign-ins', () => {
  it('is refused beyond what can be hashed, and the gate keeps answering', async () => {
    const flood = Array.from({ length: 120 }, (_, n) => guess(`10.0.${n}.1`, `account${n}@example.org`));
    const asked = await t.surfaces[0].create(t.first.agent_key, 'payments.refund', { amount: 5 });
    expect(asked.status).toBe(201);
    const answers = await Promise.all(flood);
    const turnedAway = answers.filter(({ status }) => status === 503);
    expect(turnedAway.length).toBeGreaterThan(0);
    for (const { retryAfter } of turnedAway) expect(retryAfter).toBe('2');
    expect(answers.every(({ status }) => status === 401 || status === 503)).toBe(true);
    expect((await guess('10.0.0.1', 'ann@example.org', PASSWORD)).status).toBe(200);
  });
});
