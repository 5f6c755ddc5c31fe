/** Gates on one database. The clocks of the gates' machines differ. */
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { addSeconds } from '../../src/gate/kernel/instant.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { type OpenGate, openGate } from '../../src/open-gate.ts';
import { TEST_KEY_SETTINGS } from '../fixtures/open-test-gate.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { PATIENCE } from '../fixtures/postgres/patience.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { openGates } from './open-gates.ts';

const HOUR_MS = 3_600_000;

let database: TestDatabase | undefined;
const gates: OpenGate[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const gate of gates.splice(0)) await gate.close();
  await database?.drop();
  database = undefined;
});

async function openAt(machineMs: number): Promise<OpenGate> {
  database ??= await openTestDatabase();
  vi.useFakeTimers({ toFake: ['Date'], now: machineMs });
  const gate = await openGate({
    database: { url: database.url, ...PATIENCE },
    issuer: 'http://localhost:4000',
    signingKeys: TEST_KEY_SETTINGS,
  });
  vi.useRealTimers();
  gates.push(gate);
  return gate;
}

test('all gates use the clock of the database', async () => {
  const now = Date.now();
  const [behind, ahead] = [await openAt(now - HOUR_MS), await openAt(now + HOUR_MS)];
  vi.useFakeTimers({ toFake: ['Date'], now: now + 2 * HOUR_MS });
  const times = [behind, ahead].map(({ gate }) => Date.parse(gate.clock.now()));
  vi.useRealTimers();
  // The database of a test runs on this machine.
  for (const time of times) {
    expect(time).toBeGreaterThanOrEqual(now);
    expect(time).toBeLessThan(now + HOUR_MS / 2);
  }
});

test('a gate’s clock never goes back and never runs ahead of the database', async () => {
  const { gate } = await openAt(Date.now());
  let last = '';
  for (const until = performance.now() + 1200; performance.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const now = gate.clock.now();
    expect(now >= last).toBe(true);
    expect(Date.parse(now)).toBeLessThanOrEqual(Date.now() + 5);
    last = now;
  }
});

test('a permit issued at one gate is valid at once at another whose clock is slightly behind', async () => {
  const t = await openGates(1);
  onTestFinished(() => t.close());
  const [opened] = t.gates;
  if (!opened) throw new Error('there is a gate');
  const at = (seconds: number) => ({
    ...opened.gate,
    clock: { now: () => addSeconds(t.clock.now(), seconds) },
  });
  const deploy = { action: 'deploy', params: { n: 1 } };
  const { intent } = await submitIntent(t.gate, t.agent, deploy);
  const { permit } = await decideIntent(t.gate, t.secret, { intentId: intent.id, decision: 'approve' });
  const use = { ...deploy, token: permit?.token ?? '', consume: true };
  expect(await refusalOf(verifyPermit(at(-60), t.secret, use))).toMatchObject({
    code: 'permit_invalid',
    details: { reason: 'not_yet_valid' },
  });
  expect(await verifyPermit(at(-0.3), t.secret, use)).toMatchObject({ bound: true });
});
