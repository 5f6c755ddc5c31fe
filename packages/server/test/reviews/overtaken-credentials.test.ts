import { afterEach, beforeEach, expect, it } from 'vitest';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { revokeKey } from '../../src/identity/keys/revoke-key.ts';
import { changeRole } from '../../src/identity/members/change-role.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { approvedIntent, REFUND } from './approved-intent.ts';
import { holdWriter } from './hold-writer.ts';

/** A change of the credential that is queued before an operation of it, and committed with it. */

let t: TestGate;
beforeEach(async () => {
  t = await openTestGate();
});
afterEach(() => t.close());

async function overtakenBy(change: () => Promise<unknown>, operation: () => Promise<unknown>) {
  const writer = await holdWriter(t);
  const first = await writer.queue(change);
  const second = await writer.queue(operation);
  const refusal = refusalOf(second.running);
  await writer.release();
  await first.running;
  return refusal;
}

it('a use by a key revoked while it waited is no use', async () => {
  const { id, token } = await approvedIntent(t);
  const { caller, projectId } = { caller: t.verifier, projectId: t.projectId };
  const refusal = await overtakenBy(
    () => revokeKey(t.gate, OPERATOR, { projectId, keyId: caller.credentialId }),
    () => verifyPermit(t.gate, caller, { token, ...REFUND, consume: true }),
  );
  expect(refusal.code).toBe('unauthorized');
  expect((await t.gate.storage.read.findIntent(id))?.consumedAt).toBeNull();
});

it('an approval through a key whose owner was demoted while it waited is none', async () => {
  await t.addPerson('ann@example.org', 'owner');
  const { intent } = await submitIntent(t.gate, t.agent, REFUND);
  const refusal = await overtakenBy(
    () => changeRole(t.gate, OPERATOR, { projectId: t.projectId, userId: t.owner.userId, role: 'viewer' }),
    () => decideIntent(t.gate, t.secret, { intentId: intent.id, decision: 'approve' }),
  );
  expect(refusal.code).toBe('forbidden');
  expect((await t.gate.storage.read.findIntent(intent.id))?.status).toBe('pending');
});

it('a request by a key revoked while it waited makes nothing', async () => {
  const refusal = await overtakenBy(
    () => revokeKey(t.gate, OPERATOR, { projectId: t.projectId, keyId: t.agent.credentialId }),
    () => submitIntent(t.gate, t.agent, REFUND),
  );
  expect(refusal.code).toBe('unauthorized');
  expect(await t.events(t.projectId, 'intent.created')).toHaveLength(0);
});
