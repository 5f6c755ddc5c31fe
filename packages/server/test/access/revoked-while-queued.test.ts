import { afterEach, beforeEach, expect, it } from 'vitest';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { reportOutcome } from '../../src/gate/intents/report-outcome.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { withdrawIntent } from '../../src/gate/intents/withdraw.ts';
import { revokePermit } from '../../src/gate/permits/revoke.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { revokeKey } from '../../src/people/keys/revoke-key.ts';
import { revokeUserToken } from '../../src/people/keys/user-token.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { approvedIntent, REFUND } from '../fixtures/approved-intent.ts';
import { holdWriter } from '../fixtures/hold-writer.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

/** A change of a credential is queued before an operation that uses the credential, and both are committed together. */

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

it('a use is refused if its key is revoked while the use is queued', async () => {
  const { id, token } = await approvedIntent(t);
  const { caller, projectId } = { caller: t.verifier, projectId: t.projectId };
  const refusal = await overtakenBy(
    () => revokeKey(t.gate, OPERATOR, { projectId, keyId: caller.credentialId }),
    () => verifyPermit(t.gate, caller, { token, ...REFUND, consume: true }),
  );
  expect(refusal.code).toBe('unauthorized');
  expect((await t.gate.storage.read.findIntent(id))?.consumedAt).toBeNull();
});

it('an approval is refused if the key’s owner is demoted while the approval is queued', async () => {
  await t.addPerson('ann@example.org', 'owner');
  const { intent } = await submitIntent(t.gate, t.agent, REFUND);
  const refusal = await overtakenBy(
    () => changeRole(t.gate, OPERATOR, { projectId: t.projectId, userId: t.owner.userId, role: 'viewer' }),
    () => decideIntent(t.gate, t.secret, { intentId: intent.id, decision: 'approve' }),
  );
  expect(refusal.code).toBe('forbidden');
  expect((await t.gate.storage.read.findIntent(intent.id))?.status).toBe('pending');
});

it('a request creates nothing if its key is revoked while the request is queued', async () => {
  const refusal = await overtakenBy(
    () => revokeKey(t.gate, OPERATOR, { projectId: t.projectId, keyId: t.agent.credentialId }),
    () => submitIntent(t.gate, t.agent, REFUND),
  );
  expect(refusal.code).toBe('unauthorized');
  expect(await t.events(t.projectId, 'intent.created')).toHaveLength(0);
});

it('a request and a use are refused if the key’s owner becomes a viewer while they are queued', async () => {
  await t.addPerson('ann@example.org', 'owner');
  const { id, token } = await approvedIntent(t);
  const demote = (role: 'viewer' | 'owner') =>
    changeRole(t.gate, OPERATOR, { projectId: t.projectId, userId: t.owner.userId, role });
  const created = await overtakenBy(
    () => demote('viewer'),
    () => submitIntent(t.gate, t.secret, REFUND),
  );
  expect(created.code).toBe('forbidden');
  await demote('owner');
  const again = (await t.callerOf(t.first.secret_key)) as typeof t.secret;
  const used = await overtakenBy(
    () => demote('viewer'),
    () => verifyPermit(t.gate, again, { token, ...REFUND, consume: true }),
  );
  expect(used.code).toBe('forbidden');
  expect((await t.gate.storage.read.findIntent(id))?.consumedAt).toBeNull();
  expect(await t.events(t.projectId, 'intent.created')).toHaveLength(1);
});

it('an approval and a revocation are refused if the access token is revoked while they are queued', async () => {
  const { id } = await approvedIntent(t);
  const { intent } = await submitIntent(t.gate, t.agent, REFUND);
  const ann = await t.addPerson('ann@example.org', 'admin');
  const approved = await overtakenBy(
    () => revokeUserToken(t.gate, OPERATOR, { keyId: ann.caller.credentialId }),
    () => decideIntent(t.gate, ann.caller, { intentId: intent.id, decision: 'approve' }),
  );
  expect(approved.code).toBe('unauthorized');
  expect((await t.gate.storage.read.findIntent(intent.id))?.status).toBe('pending');

  const ben = await t.addPerson('ben@example.org', 'admin');
  const revoked = await overtakenBy(
    () => revokeUserToken(t.gate, OPERATOR, { keyId: ben.caller.credentialId }),
    () => revokePermit(t.gate, ben.caller, { target: { intentId: id } }),
  );
  expect(revoked.code).toBe('unauthorized');
  expect((await t.gate.storage.read.findIntent(id))?.revokedAt).toBeNull();
});

it('a withdrawal and an outcome change nothing if their key is revoked while they are queued', async () => {
  const { intent } = await submitIntent(t.gate, t.agent, REFUND);
  const withdrawn = await overtakenBy(
    () => revokeKey(t.gate, OPERATOR, { projectId: t.projectId, keyId: t.agent.credentialId }),
    () => withdrawIntent(t.gate, t.agent, intent.id),
  );
  expect(withdrawn.code).toBe('unauthorized');
  expect((await t.gate.storage.read.findIntent(intent.id))?.status).toBe('pending');

  const { permit } = await decideIntent(t.gate, t.secret, { intentId: intent.id, decision: 'approve' });
  await verifyPermit(t.gate, t.verifier, { token: permit?.token ?? '', ...REFUND, consume: true });
  const reported = await overtakenBy(
    () => revokeKey(t.gate, OPERATOR, { projectId: t.projectId, keyId: t.verifier.credentialId }),
    () => reportOutcome(t.gate, t.verifier, { intentId: intent.id, outcome: 'succeeded' }),
  );
  expect(reported.code).toBe('unauthorized');
  expect((await t.gate.storage.read.findIntent(intent.id))?.outcome).toBeNull();
});
