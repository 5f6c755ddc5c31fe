/** Signing keys of gates that share a database: a change at one gate applies at the others immediately. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { authenticateKey } from '../../src/gate/access/authenticate-key.ts';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { KeyWatch } from '../../src/keys/key-watch.ts';
import { NextKeyTooYoungError } from '../../src/keys/next-key-too-young-error.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { keysOf } from '../keys/keys-of.ts';
import { type Gates, openGates } from './open-gates.ts';

const REFUND = { action: 'payments.refund', params: { amount: 120 } };

let g: Gates;
let one: GateParts;
let other: GateParts;
beforeEach(async () => {
  g = await openGates(2);
  [one, other] = g.gates.map(({ gate }) => gate) as [GateParts, GateParts];
});
afterEach(() => g.close());

async function callerOn(gate: GateParts, key: string) {
  return (await authenticateKey(gate, key)).caller;
}

async function approvedOn(gate: GateParts): Promise<string> {
  const secret = await callerOn(gate, g.first.secret_key);
  const { intent } = await submitIntent(gate, secret, REFUND);
  const decided = await decideIntent(gate, secret, { intentId: intent.id, decision: 'approve' });
  return decided.intent.permit?.token ?? '';
}

async function consumeOn(gate: GateParts, token: string) {
  const verifier = await callerOn(gate, g.first.verifier_key);
  return verifyPermit(gate, verifier, { token, ...REFUND, consume: true });
}

function kidOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
}

test('a gate looks up an unknown signing key before it refuses a permit', async () => {
  await keysOf(one).signer.rotate('operator', { early: true });
  // Rotates twice, so that this key did not exist, even as the next key, when the other gate last read the keys.
  const kid = await keysOf(one).signer.rotate('operator', { early: true });
  const token = await approvedOn(one);
  expect(kidOf(token)).toBe(kid);
  expect(other.tokens.signer.publicKey(kid)).toBeUndefined();
  expect((await consumeOn(other, token)).claims.action).toBe(REFUND.action);
});

test('a permit with a forged key ID is refused', async () => {
  const token = await approvedOn(one);
  const header = Buffer.from(
    JSON.stringify({ alg: 'ES256', typ: 'permit-test+jwt', kid: 'A'.repeat(43) }),
  ).toString('base64url');
  const forged = [header, ...token.split('.').slice(1)].join('.');
  await expect(consumeOn(other, forged)).rejects.toMatchObject({ details: { reason: 'unknown_key' } });
});

test('a key compromised at one gate ends its permits at the other on the very next call, even those verified before', async () => {
  const [fresh, recognised] = [await approvedOn(one), await approvedOn(one)];
  const verifier = await callerOn(other, g.first.verifier_key);
  await verifyPermit(other, verifier, { token: recognised, ...REFUND, consume: false });
  await keysOf(one).compromise();
  for (const token of [fresh, recognised])
    await expect(consumeOn(other, token)).rejects.toMatchObject({ details: { reason: 'unknown_key' } });
});

test('the other gate signs nothing with a compromised key, even before it is notified', async () => {
  const stolen = other.tokens.signer.current.kid;
  await keysOf(one).compromise(stolen);
  expect(other.tokens.signer.current.kid).toBe(stolen);
  const token = await approvedOn(other);
  expect(kidOf(token)).not.toBe(stolen);
  expect((await consumeOn(one, token)).bound).toBe(true);
});

test('a decision made while the key is being marked compromised gets a valid permit or one that is refused', async () => {
  const stolen = one.tokens.signer.current.kid;
  const secret = await callerOn(other, g.first.secret_key);
  const intents = await Promise.all(Array.from({ length: 20 }, () => submitIntent(other, secret, REFUND)));
  const deciding = intents.map(({ intent }) =>
    decideIntent(other, secret, { intentId: intent.id, decision: 'approve' }),
  );
  const withdrawing = keysOf(one).signer.markCompromised([stolen]);
  const [decided] = await Promise.all([Promise.all(deciding), withdrawing]);
  // Decisions before the change carry permits of the stolen key, which are refused; later ones carry valid permits.
  for (const { intent } of decided) {
    const { token = '' } = intent.permit ?? {};
    const used = consumeOn(one, token);
    if (kidOf(token) === stolen)
      await expect(used).rejects.toMatchObject({ details: { reason: 'unknown_key' } });
    else expect((await used).bound).toBe(true);
  }
  expect(kidOf(await approvedOn(other))).not.toBe(stolen);
});

test('no chain head keeps the signature of a compromised key, whichever gate seals', async () => {
  await approvedOn(other);
  await keysOf(one).compromise();
  await other.ledger.sealNow(g.projectId);
  for (const gate of [one, other])
    expect(await verifyAudit(gate, OPERATOR, g.projectId)).toMatchObject({ valid: true, unsealed: 0 });
});

test('two gates that rotate at once rotate the key once', async () => {
  g.clock.advance(24 * 3600);
  const rotations = await Promise.allSettled([one, other].map((gate) => keysOf(gate).signer.rotateIfDue(1)));
  expect(rotations.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  await other.tokens.signer.refresh();
  await one.tokens.signer.refresh();
  expect(one.tokens.signer.keys().filter(({ state }) => state === 'retired')).toHaveLength(1);
  expect(one.tokens.signer.keys()).toEqual(other.tokens.signer.keys());
  await expect(keysOf(other).signer.rotate('operator')).rejects.toThrow(NextKeyTooYoungError);
});

test('a gate is notified of a new key and adopts it without being called', async () => {
  const taken = new Promise<void>((resolve, reject) => {
    const watch = new KeyWatch(keysOf(other).signer, 'database', {
      error: reject,
      change: async () => resolve(),
    });
    other.bus.hear('keys', () => void watch.poll());
  });
  const kid = await keysOf(one).signer.rotate('operator', { early: true });
  await taken;
  await other.tokens.signer.refresh();
  expect(other.tokens.signer.current.kid).toBe(kid);
});
