/**
 * Credentials, agents, settings and recognised permits are cached in memory. Any change of them, here or in another
 * process on the same directory, takes effect on the next call.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { authenticateKey } from '../../src/gate/access/authenticate-key.ts';
import { pauseAgent, resumeAgent, revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { revokePermit } from '../../src/gate/permits/revoke.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { startProject, stopProject } from '../../src/gate/projects/stop-switch.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { type OpenGate, openGate } from '../../src/open-gate.ts';
import { createKey } from '../../src/people/keys/create-key.ts';
import { revokeKey } from '../../src/people/keys/revoke-key.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { approvedIntent, REFUND } from '../fixtures/approved-intent.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';

let t: TestGate;
let other: OpenGate;
beforeEach(async () => {
  t = await openTestGate();
  other = await openGate({ database: { directory: t.dataDir }, issuer: t.gate.issuer, clock: t.clock });
});
afterEach(async () => {
  await other.close();
  await t.close();
});

/** `done`, or the code of the refusal, with its reason if it has one. */
async function outcome(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return 'done';
  } catch (error) {
    const { code, details } = error as { code: string; details?: { reason?: string } };
    return details?.reason ?? code;
  }
}

const POLICY = { name: 'strict', default: { approvers: ['role:approver'], min_approvals: 1 } };

const asKeyed = async (key: string) => (await authenticateKey(t.gate, key)).caller;
const create = () => outcome(async () => submitIntent(t.gate, await asKeyed(t.first.agent_key), REFUND));
const verify = (token: string) =>
  outcome(async () =>
    verifyPermit(t.gate, await asKeyed(t.first.verifier_key), { token, ...REFUND, consume: false }),
  );
const decide = (intentId: string) =>
  outcome(async () =>
    decideIntent(t.gate, await asKeyed(t.first.secret_key), { intentId, decision: 'approve' }),
  );

describe.each([
  ['here', () => t.gate],
  ['in another process', () => other.gate],
])('changes made %s take effect at once', (_where, changing: () => GateParts) => {
  const agent = () => ({ projectId: t.projectId, agentId: t.agentId });

  it('when an agent is paused, resumed or revoked', async () => {
    const { token } = await approvedIntent(t);
    expect([await create(), await verify(token)]).toEqual(['done', 'done']);
    await pauseAgent(changing(), OPERATOR, agent());
    expect([await create(), await verify(token)]).toEqual(['agent_paused', 'agent_paused']);
    await resumeAgent(changing(), OPERATOR, agent());
    expect([await create(), await verify(token)]).toEqual(['done', 'done']);
    await revokeAgent(changing(), OPERATOR, agent());
    expect([await create(), await verify(token)]).toEqual(['agent_revoked', 'agent_revoked']);
  });

  it('when the project is stopped or started', async () => {
    const { token } = await approvedIntent(t);
    expect([await create(), await verify(token)]).toEqual(['done', 'done']);
    await stopProject(changing(), OPERATOR, { projectId: t.projectId });
    expect([await create(), await verify(token)]).toEqual(['project_stopped', 'project_stopped']);
    await startProject(changing(), OPERATOR, { projectId: t.projectId });
    expect([await create(), await verify(token)]).toEqual(['done', 'done']);
  });

  it('when the policy becomes stricter', async () => {
    const { token } = await approvedIntent(t);
    expect([await create(), await verify(token)]).toEqual(['done', 'done']);
    const rules = [
      { name: 'no refunds', match: { action: REFUND.action }, effect: 'deny', reason: 'Closed.' },
    ];
    await putPolicy(changing(), OPERATOR, { projectId: t.projectId, document: { ...POLICY, rules } });
    expect(await verify(token)).toBe('policy_changed');
    const { intent } = await submitIntent(t.gate, await asKeyed(t.first.agent_key), REFUND);
    expect(intent.status).toBe('denied');
  });

  it('when a permit is revoked', async () => {
    const { id, token } = await approvedIntent(t);
    expect(await verify(token)).toBe('done');
    await revokePermit(changing(), t.secret, { target: { intentId: id } });
    expect(await verify(token)).toBe('revoked');
  });

  it.each(['agent', 'verifier', 'secret'] as const)('when the key of the %s is revoked', async (whose) => {
    const key = t.first[`${whose}_key`];
    const { credentialId: keyId } = await asKeyed(key);
    await asKeyed(key);
    await revokeKey(changing(), OPERATOR, { projectId: t.projectId, keyId });
    expect(await outcome(() => asKeyed(key))).toBe('unauthorized');
  });

  it('when the owner of a secret key gets another role or leaves the project', async () => {
    await t.addPerson('ann@example.org', 'owner');
    const pending = async () => (await submitIntent(t.gate, t.agent, REFUND)).intent.id;
    const owner = { projectId: t.projectId, userId: t.owner.userId };
    expect(await decide(await pending())).toBe('done');
    await changeRole(changing(), OPERATOR, { ...owner, role: 'viewer' });
    expect(await decide(await pending())).toBe('forbidden');
    await changeRole(changing(), OPERATOR, { ...owner, role: 'approver' });
    expect(await decide(await pending())).toBe('done');
    await removeMember(changing(), OPERATOR, owner);
    expect(await decide(await pending())).toBe('unauthorized');
  });
});

it('a cached key that expires is refused', async () => {
  const expiresAt = new Date(Date.parse(t.clock.now()) + 60_000).toISOString();
  const { key } = await createKey(t.gate, OPERATOR, {
    projectId: t.projectId,
    kind: 'verify',
    name: 'for a minute',
    expiresAt,
  });
  expect(await outcome(() => asKeyed(key))).toBe('done');
  t.clock.advance(59);
  expect(await outcome(() => asKeyed(key))).toBe('done');
  t.clock.advance(1);
  expect(await outcome(() => asKeyed(key))).toBe('unauthorized');
});

it('a key is refused as soon as it is revoked, even while its requests keep coming', async () => {
  const key = t.first.verifier_key;
  const { credentialId: keyId } = await asKeyed(key);
  const ofOneTurn = () => Promise.all(Array.from({ length: 5 }, () => outcome(() => asKeyed(key))));
  const before = ofOneTurn();
  let isRevoked = false;
  const revoked = revokeKey(other.gate, OPERATOR, { projectId: t.projectId, keyId }).then(() => {
    isRevoked = true;
  });
  while (!isRevoked) await ofOneTurn();
  expect(await ofOneTurn()).toEqual(Array(5).fill('unauthorized'));
  expect(await before).toEqual(Array(5).fill('done'));
  await revoked;
});

it('requests in one turn of the event loop share one database read, and the next turn reads again', async () => {
  await Promise.all([asKeyed(t.first.agent_key), asKeyed(t.first.verifier_key)]);
  const looks = vi.spyOn(t.gate.storage.read, 'findProjectRevision');
  const keys = Array.from({ length: 20 }, (_, n) => (n % 2 ? t.first.agent_key : t.first.verifier_key));
  await Promise.all(keys.map(asKeyed));
  expect(looks).toHaveBeenCalledTimes(1);
  await Promise.all(keys.map(asKeyed));
  expect(looks).toHaveBeenCalledTimes(2);
});

it('a credential that is evicted while its revision is looked up is read again', async () => {
  await asKeyed(t.first.agent_key);
  const reads = vi.spyOn(t.gate.storage.read, 'findCredential');
  const looking = asKeyed(t.first.agent_key);
  t.gate.credentials.forget();
  await looking;
  expect(reads).toHaveBeenCalledTimes(1);
});
