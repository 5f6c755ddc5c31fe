/** Limits count requests at all gates together, tested over HTTP. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKey } from '../../src/people/keys/create-key.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type Answer, type Gates, openGates } from './open-gates.ts';

let t: Gates;
beforeEach(async () => {
  t = await openGates(3);
});
afterEach(() => t.close());

/** How many requests were accepted in each minute, because a minute may end while the test runs. */
function letIn(answers: readonly Answer[]): number[] {
  const minutes = new Map<unknown, number>();
  for (const { status, headers } of answers) {
    const minute = headers['x-ratelimit-reset'];
    minutes.set(minute, (minutes.get(minute) ?? 0) + (status === 429 ? 0 : 1));
  }
  return [...minutes.values()];
}

const ask = (key: string) => (_: unknown, round: number) =>
  t.replicaIn(round).call('GET', '/api/intents', { key });

test('the rate limit of a key counts its requests at all gates', async () => {
  const { key } = await createKey(t.gate, OPERATOR, {
    projectId: t.projectId,
    kind: 'agent',
    name: 'limited',
    agentId: t.agentId,
    rateLimitPerMinute: 30,
  });
  const answers = await Promise.all(Array.from({ length: 90 }, ask(key)));
  expect(letIn(answers).every((count) => count <= 30)).toBe(true);
  expect(letIn(answers)).toContain(30);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers).toMatchObject({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '0' });
});

test('the limit on wrong keys counts them at all gates', async () => {
  const wrong = `${t.first.secret_key.slice(0, -6)}aaaaaa`;
  const answers = await Promise.all(Array.from({ length: 240 }, ask(wrong)));
  expect(letIn(answers).every((count) => count <= 100)).toBe(true);
  expect(letIn(answers)).toContain(100);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
  // A valid key is still accepted from the same address.
  const good = await Promise.all(Array.from({ length: 3 }, ask(t.first.secret_key)));
  expect(good.map(({ status }) => status)).toEqual([200, 200, 200]);
});
