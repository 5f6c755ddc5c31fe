import { decideIntent } from '../../src/gate/intents/decide.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import type { TestApp } from '../http/open-test-app.ts';

/**
 * Creates rows of very different sizes that grow, shrink and move, with others between them.
 *
 * @returns the intents that mention the secret
 */
export async function liveThrough(t: TestApp, count: number, secret: string): Promise<string[]> {
  const told: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const filler = 'x'.repeat((at * 977) % 9000);
    const mentions = at % 2 === 0;
    const params = { filler, name: mentions ? secret : 'nobody', more: 'y'.repeat((at * 31) % 300) };
    const answer = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      headers: { 'idempotency-key': `k${at}` },
      body: { action: 'mail.send', params, metadata: { note: mentions ? `for ${secret}` : '' } },
    });
    const intentId = String(answer.body.id);
    const decision = at % 3 === 0 ? 'deny' : 'approve';
    const { permit } = await decideIntent(t.gate, t.secret, {
      intentId,
      decision,
      reason: mentions ? `${secret} was asked ${filler.slice(0, 700)}` : 'fine',
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
