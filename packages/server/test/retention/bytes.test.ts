/** What is erased is in no file of the data directory any more, wherever the database had it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eraseIntent } from '../../src/gate/erasure/erase-intent.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { openTestApp, type TestApp } from '../http-shared/open-test-app.ts';
import { tracesOf } from './traces.ts';

const SECRET = 'Irmgard Zwiebelmayr-Quandt';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp({ logLevel: 'silent', config: { rateLimitPerMinute: 0 } });
});
afterEach(() => t.close());

/** Rows of very different sizes, that grow, shrink and move, with others between them. */
async function liveThrough(count: number): Promise<string[]> {
  const told: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const filler = 'x'.repeat((at * 977) % 9000);
    const mentions = at % 2 === 0;
    const params = { filler, name: mentions ? SECRET : 'nobody', more: 'y'.repeat((at * 31) % 300) };
    const answer = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      headers: { 'idempotency-key': `k${at}` },
      body: { action: 'mail.send', params, metadata: { note: mentions ? `for ${SECRET}` : '' } },
    });
    const intentId = String(answer.body.id);
    const decision = at % 3 === 0 ? 'deny' : 'approve';
    const { permit } = await decideIntent(t.gate, t.secret, {
      intentId,
      decision,
      reason: mentions ? `${SECRET} was asked ${filler.slice(0, 700)}` : 'fine',
    });
    if (permit)
      await verifyPermit(t.gate, t.verifier, {
        token: permit.token,
        action: 'mail.send',
        params,
        consume: true,
      });
    if (mentions) told.push(intentId);
  }
  return told;
}

it('of intents, records and remembered answers, after a whole life', async () => {
  const told = await liveThrough(120);
  await t.ledger.sealNow(t.projectId);
  expect(tracesOf(t.dataDir, SECRET)).not.toEqual([]);
  for (const intentId of told)
    await eraseIntent(t.gate, t.owner.caller, { projectId: t.projectId, intentId });
  expect(tracesOf(t.dataDir, SECRET)).toEqual([]);
});
