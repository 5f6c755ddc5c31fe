import { afterEach, beforeEach, expect, it } from 'vitest';
import { approvedIntent, REFUND } from '../fixtures/approved-intent.ts';
import { holdWriter } from '../fixtures/hold-writer.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp();
});
afterEach(() => t.close());

async function consumeAfterWaiting(token: string, seconds: number) {
  const writer = await holdWriter(t);
  const { running } = await writer.queue(() =>
    t.call('POST', '/v1/permits/validate', {
      key: t.first.verifier_key,
      body: { token, ...REFUND, consume: true },
    }),
  );
  t.clock.advance(seconds);
  await writer.release();
  return running;
}

it('a use whose transaction waits until the permit has expired is refused, and the intent stays unused', async () => {
  const { id, token } = await approvedIntent(t);
  const { status, body } = await consumeAfterWaiting(token, 300);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { code: 'permit_invalid', reason: 'expired' } });
  expect((await t.gate.storage.read.findIntent(id))?.consumedAt).toBeNull();
  expect(await t.events(t.projectId, 'permit.consumed')).toHaveLength(0);
});

it('a use whose transaction starts a second before the permit expires succeeds', async () => {
  const { token } = await approvedIntent(t);
  expect((await consumeAfterWaiting(token, 299)).body).toMatchObject({ consumed: true });
});
