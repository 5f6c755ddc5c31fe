/** Threat 8b: which permits and keys a gate restored from a backup may still accept, and which it must refuse. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifyAuditChain } from '@permitry/protocol';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { authenticateKey } from '../../src/gate/access/authenticate-key.ts';
import type { Caller } from '../../src/gate/access/caller.ts';
import { readAudit } from '../../src/gate/audit/read-audit.ts';
import { sealedRecords } from '../../src/gate/audit/sealed-records.ts';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { readIntent } from '../../src/gate/intents/read.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { assertUseStands } from '../../src/gate/permits/assert-use-stands.ts';
import { redeemPermit } from '../../src/gate/permits/redeem.ts';
import { type VerifiedPermit, verifyPermit } from '../../src/gate/permits/verify.ts';
import { callTool } from '../../src/gate/tools/call-tool.ts';
import { findWaitingCall } from '../../src/gate/tools/find-waiting-call.ts';
import { listMockRecords } from '../../src/gate/tools/list-mock-records.ts';
import { resumeRequest } from '../../src/gate/tools/resume-request.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { openGate } from '../../src/open-gate.ts';
import { adoptCopy } from '../../src/ops/backup/adopt-copy.ts';
import { createInvitation } from '../../src/people/invitations/create-invitation.ts';
import { finishPasswordReset, makeResetLink } from '../../src/people/recovery/password-reset.ts';
import { startSession } from '../../src/people/sessions/start-session.ts';
import { lockForServing } from '../../src/storage/sqlite/serving-lock.ts';
import { OPERATOR, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { backUp, freshPath, gateForTest, openRestored, restore, withGateOn } from './open-two-gates.ts';

const REFUND = { action: 'payments.refund', params: { amount: 12 } };

async function ask(gate: GateParts, caller: Caller): Promise<string> {
  return (await submitIntent(gate, caller, { ...REFUND })).intent.id;
}

async function approve(gate: GateParts, by: Caller, intentId: string): Promise<string> {
  const { permit } = await decideIntent(gate, by, { intentId, decision: 'approve' });
  if (!permit) throw new Error('no permit');
  return permit.token;
}

function use(gate: GateParts, by: Caller, token: string, consume = true): Promise<VerifiedPermit> {
  return verifyPermit(gate, by, { token, ...REFUND, consume });
}

async function expectRefused(gate: GateParts, by: Caller, token: string, reason: string): Promise<void> {
  for (const consume of [false, true]) {
    expect(await refusalOf(use(gate, by, token, consume))).toMatchObject({
      code: 'permit_invalid',
      details: { reason },
    });
  }
}

let t: TestGate;
beforeEach(async () => {
  t = await gateForTest();
});

/** Callers in the restored gate, with the keys that they had before. */
async function callersIn(gate: GateParts): Promise<{ agent: Caller; secret: Caller; verifier: Caller }> {
  const callerOf = async (key: string) => (await authenticateKey(gate, key)).caller;
  return {
    agent: await callerOf(t.first.agent_key),
    secret: await callerOf(t.first.secret_key),
    verifier: await callerOf(t.first.verifier_key),
  };
}

async function restoreNow(file: string, secondsLater = 5) {
  t.clock.advance(secondsLater);
  const { dataDir, result } = await restore(file, t.clock);
  const { gate } = await openRestored(dataDir, t.clock);
  return { gate, dataDir, result, ...(await callersIn(gate)) };
}

describe('after a restore, a permit', () => {
  it('that was used before the backup stays used', async () => {
    const id = await ask(t.gate, t.agent);
    const token = await approve(t.gate, t.secret, id);
    await use(t.gate, t.verifier, token);
    const { file } = await backUp(t);
    const r = await restoreNow(file);
    await expectRefused(r.gate, r.verifier, token, 'already_used');
    expect((await readIntent(r.gate, r.secret, id)).receipt?.revocation_status).toBe('active');
  });

  it('that was unused in the backup is refused, whether or not it was used since, and cannot be renewed', async () => {
    const [one, other] = [await ask(t.gate, t.agent), await ask(t.gate, t.agent)];
    const tokens = [await approve(t.gate, t.secret, one), await approve(t.gate, t.secret, other)];
    const { file } = await backUp(t);
    await use(t.gate, t.verifier, tokens[0] ?? '');
    const r = await restoreNow(file);
    expect(r.result.restored).toMatchObject([{ approvalsRevoked: 2, pending: 0 }]);
    for (const [index, id] of [one, other].entries()) {
      await expectRefused(r.gate, r.verifier, tokens[index] ?? '', 'revoked');
      const { permit, receipt } = await readIntent(r.gate, r.agent, id);
      await expectRefused(r.gate, r.agent, permit?.token ?? '', 'revoked');
      expect(receipt?.revocation_status).toBe('revoked');
      expect(await refusalOf(redeemPermit(r.gate, r.agent, id))).toMatchObject({
        code: 'permit_invalid',
        details: { reason: 'revoked' },
      });
    }
  });

  it('is refused as revoked even while the restored project is still stopped', async () => {
    const token = await approve(t.gate, t.secret, await ask(t.gate, t.agent));
    const { file } = await backUp(t);
    const { dataDir } = await restore(file, t.clock);
    const opened = await openGate({
      database: { directory: dataDir },
      issuer: 'http://localhost:4000',
      clock: t.clock,
    });
    onTestFinished(() => opened.close());
    const { verifier, agent } = await callersIn(opened.gate);
    await expectRefused(opened.gate, verifier, token, 'revoked');
    expect(await refusalOf(ask(opened.gate, agent))).toMatchObject({ code: 'project_stopped' });
  });

  it('that was renewed after the backup is refused', async () => {
    const id = await ask(t.gate, t.agent);
    await approve(t.gate, t.secret, id);
    const { file } = await backUp(t);
    const renewed = await redeemPermit(t.gate, t.agent, id);
    const r = await restoreNow(file);
    await expectRefused(r.gate, r.verifier, renewed.permit?.token ?? '', 'revoked');
  });

  it('of an approval made after the backup is refused, even once the intent is approved again', async () => {
    const id = await ask(t.gate, t.agent);
    const { file, backup } = await backUp(t);
    const lost = await approve(t.gate, t.secret, id);
    // Everything happens within one second, which is the precision of times in a permit.
    const r = await restoreNow(file, 0);
    expect(backup.manifest.projects[0]?.seq).toBeGreaterThan(0);
    expect(r.result.restored).toMatchObject([{ approvalsRevoked: 0, pending: 1 }]);
    await expectRefused(r.gate, r.verifier, lost, 'revoked');
    const token = await approve(r.gate, r.secret, id);
    await expectRefused(r.gate, r.verifier, lost, 'revoked');
    expect(await use(r.gate, r.verifier, token)).toMatchObject({ bound: true });
    await expectRefused(r.gate, r.verifier, lost, 'revoked');
  });

  it('of an intent created after the backup is refused', async () => {
    const { file } = await backUp(t);
    const lost = await approve(t.gate, t.secret, await ask(t.gate, t.agent));
    const r = await restoreNow(file);
    await expectRefused(r.gate, r.verifier, lost, 'revoked');
  });

  it('of a new request can be used once', async () => {
    const { file } = await backUp(t);
    const r = await restoreNow(file);
    const token = await approve(r.gate, r.secret, await ask(r.gate, r.agent));
    expect(await use(r.gate, r.verifier, token)).toMatchObject({ bound: true });
    await expectRefused(r.gate, r.verifier, token, 'already_used');
  });
});

it('a tool call that was approved but not run in the backup does not run after a restore', async () => {
  const call = { tool: 'payments.refund', arguments: { charge: 'ch_1', amount: 12, currency: 'EUR' } };
  const { request } = await callTool(t.gate, t.agent, call);
  await approve(t.gate, t.secret, request.intentId);
  const { file } = await backUp(t);
  expect(await resumeRequest(t.gate, t.agent, { requestId: request.id })).toMatchObject({ kind: 'executed' });
  const r = await restoreNow(file);
  expect(await refusalOf(resumeRequest(r.gate, r.agent, { requestId: request.id }))).toMatchObject({
    code: 'permit_invalid',
    details: { reason: 'revoked' },
  });
  expect(await findWaitingCall(r.gate, r.agent, call)).toBeUndefined();
  const page = { projectId: t.projectId, connector: 'payments', limit: 10 };
  expect((await listMockRecords(r.gate, r.secret, page)).items).toEqual([]);
});

it('a use recorded before the backup still counts after a restore, and a later use does not', async () => {
  const [before, after] = [await ask(t.gate, t.agent), await ask(t.gate, t.agent)];
  await use(t.gate, t.verifier, await approve(t.gate, t.secret, before));
  const token = await approve(t.gate, t.secret, after);
  const { file } = await backUp(t);
  await use(t.gate, t.verifier, token);
  const r = await restoreNow(file);
  await assertUseStands(r.gate, before);
  expect(await refusalOf(assertUseStands(r.gate, after))).toMatchObject({
    code: 'permit_invalid',
    details: { reason: 'revoked' },
  });
});

it('the receipt of an approval that ended long before the backup stays active after a restore', async () => {
  const id = await ask(t.gate, t.agent);
  const token = await approve(t.gate, t.secret, id);
  t.clock.advance(26 * 3600);
  const { file } = await backUp(t);
  const r = await restoreNow(file);
  expect(r.result.restored).toMatchObject([{ approvalsRevoked: 0 }]);
  expect((await readIntent(r.gate, r.secret, id)).receipt?.revocation_status).toBe('active');
  await expectRefused(r.gate, r.verifier, token, 'expired');
});

it('new receipts never reuse a status list position of the lost history, even after several restores', async () => {
  const slots = new Set<number>();
  const approveSome = async (gate: GateParts, agent: Caller, secret: Caller) => {
    for (let n = 0; n < 3; n += 1) {
      const id = await ask(gate, agent);
      await approve(gate, secret, id);
      const { receiptIndex } = (await readIntent(gate, secret, id)).intent;
      expect(slots).not.toContain(receiptIndex);
      slots.add(receiptIndex ?? -1);
    }
  };
  await approveSome(t.gate, t.agent, t.secret);
  const { file } = await backUp(t);
  await approveSome(t.gate, t.agent, t.secret);
  for (let round = 0; round < 3; round += 1) {
    const r = await restoreNow(file);
    await approveSome(r.gate, r.agent, r.secret);
  }
  expect(slots.size).toBe(15);
});

describe('after a restore, the audit log', () => {
  it('continues from the backup, records the restore, and verifies', async () => {
    await approve(t.gate, t.secret, await ask(t.gate, t.agent));
    await ask(t.gate, t.agent);
    const { file, backup } = await backUp(t);
    const r = await restoreNow(file);
    await ask(r.gate, r.agent);
    const verdict = await verifyAudit(r.gate, OPERATOR, t.projectId);
    expect(verdict).toMatchObject({ valid: true, unsealed: 0 });
    const { items } = await readAudit(r.gate, OPERATOR, {
      projectId: t.projectId,
      types: ['project.restored'],
    });
    expect(items).toMatchObject([
      {
        actor: { type: 'operator' },
        data: { copied_at: backup.manifest.created_at, approvals_revoked: 1, pending: 1 },
      },
    ]);
  });

  it('does not verify against a head of the lost history, and names the record of the restore', async () => {
    await ask(t.gate, t.agent);
    await t.sealer.sealNow(t.projectId);
    const { file, backup } = await backUp(t);
    const copied = backup.manifest.projects[0];
    for (let n = 0; n < 5; n += 1) await ask(t.gate, t.agent);
    const [near, far] = (await t.events(t.projectId))
      .slice(-5)
      .flatMap((event, at) => (at === 0 || at === 4 ? [event] : []));
    if (!copied || !near || !far) throw new Error('there are no events');
    const r = await restoreNow(file);
    await r.gate.ledger.sealNow(t.projectId);
    const against = (sinceHead: { seq: number; hash: string }) =>
      verifyAuditChain(sealedRecords(r.gate.storage.read, t.projectId, 1e9), {
        projectId: t.projectId,
        sinceHead,
      });
    const told = `Record ${copied.seq + 1} reports a restore from a backup`;
    expect(near.seq).toBe(copied.seq + 1);
    expect((await against(near)).firstBad).toMatchObject({
      seq: near.seq,
      problem: 'history_rewritten',
      message: expect.stringContaining(told),
    });
    expect((await against(far)).firstBad).toMatchObject({
      problem: 'tail_missing',
      message: expect.stringContaining(told),
    });
    expect(await against({ seq: copied.seq, hash: copied.hash ?? '' })).toMatchObject({ valid: true });
  });
});

describe('keys', () => {
  it('keep working after a restore, unless it revokes them all', async () => {
    const { file } = await backUp(t);
    const kept = await restore(file, t.clock);
    expect(kept.result.keysRevoked).toBe(0);
    const opened = await openRestored(kept.dataDir, t.clock);
    expect((await authenticateKey(opened.gate, t.first.agent_key)).caller.kind).toBe('agent');

    const ended = await restore(file, t.clock, { revokeKeys: true });
    const { gate } = await openRestored(ended.dataDir, t.clock);
    const keys = [t.first.agent_key, t.first.secret_key, t.first.verifier_key, t.owner.token];
    expect(ended.result.keysRevoked).toBe(keys.length);
    for (const key of keys) {
      expect(await refusalOf(authenticateKey(gate, key))).toMatchObject({ code: 'unauthorized' });
    }
    const { items } = await readAudit(gate, OPERATOR, { projectId: t.projectId, types: ['key.revoked'] });
    expect(items).toHaveLength(keys.length);
    expect(await verifyAudit(gate, OPERATOR, t.projectId)).toMatchObject({ valid: true });
  });
});

it('events that were not yet sealed in the backup are sealed in the restored chain', async () => {
  const { file } = await backUp(t);
  const r = await restoreNow(file);
  const read = async (gate: GateParts) =>
    (await readAudit(gate, OPERATOR, { projectId: t.projectId, order: 'asc' })).items.map(({ id }) => id);
  const before = await read(t.gate);
  expect((await read(r.gate)).slice(0, before.length)).toEqual(before);
});

it('a restore is refused if the clock of the machine is earlier than the backup', async () => {
  const { file } = await backUp(t);
  t.clock.advance(-1);
  expect(await refusalOf(restore(file, t.clock))).toMatchObject({ code: 'conflict' });
});

describe('a data directory that came back from a disk snapshot', () => {
  async function snapshotOf(t: TestGate): Promise<string> {
    const dataDir = freshPath('snapshot');
    // Like a snapshot of the disk: the database with its write-ahead log.
    cpSync(t.dataDir, dataDir, { recursive: true });
    return dataDir;
  }

  const adopt = (dataDir: string, revokeKeys = false) =>
    adoptCopy({
      dataDir,
      issuer: 'http://localhost:4000',
      revokeKeys,
      operator: OPERATOR,
      withGate: withGateOn(t.clock),
    });

  it('is treated like a restored backup: unused approvals are revoked, used ones stay used', async () => {
    const unused = await approve(t.gate, t.secret, await ask(t.gate, t.agent));
    const used = await approve(t.gate, t.secret, await ask(t.gate, t.agent));
    await use(t.gate, t.verifier, used);
    const dataDir = await snapshotOf(t);
    const lost = await approve(t.gate, t.secret, await ask(t.gate, t.agent));
    await use(t.gate, t.verifier, unused);

    expect(await adopt(dataDir)).toMatchObject({
      restored: [{ projectId: t.projectId, approvalsRevoked: 1 }],
      keysRevoked: 0,
    });
    expect((await adopt(dataDir)).restored).toMatchObject([{ approvalsRevoked: 0 }]);
    const { gate } = await openRestored(dataDir, t.clock);
    const { verifier } = await callersIn(gate);
    await expectRefused(gate, verifier, unused, 'revoked');
    await expectRefused(gate, verifier, used, 'already_used');
    await expectRefused(gate, verifier, lost, 'revoked');
    expect(await verifyAudit(gate, OPERATOR, t.projectId)).toMatchObject({ valid: true });
  });

  it('is refused while a server uses it, when it is damaged, and when it contains no gate', async () => {
    await t.sealer.sealNow(t.projectId);
    const dataDir = await snapshotOf(t);
    const lock = lockForServing(dataDir);
    await expect(adopt(dataDir)).rejects.toThrow('Another server');
    lock.release();
    const database = new DatabaseSync(join(dataDir, 'permitry.sqlite'));
    database.exec("update events set type = 'intent.denied' where seq = 2");
    database.close();
    await expect(adopt(dataDir)).rejects.toMatchObject({ reason: 'damaged' });
    await expect(adopt(freshPath('nothing'))).rejects.toMatchObject({ reason: 'no_gate' });
  });
});

describe('people', () => {
  it('are signed out by a restore, which also ends their links, but keep their passwords and second factors', async () => {
    const { gate } = t;
    const [project] = await gate.storage.read.listProjects();
    const projectId = project?.id ?? '';
    const [owner] = await gate.storage.read.listMembers(projectId);
    const userId = owner?.userId ?? '';
    const sealed = gate.secretEncryption.encrypt(`totp ${userId}`, 'JBSWY3DPEHPK3PXP');
    await gate.storage.transaction(async (tx) => {
      await startSession(
        gate,
        tx,
        { userId, methods: ['password'] },
        { address: null, userAgent: null, sessionId: null },
      );
      await tx.savePassword({ userId, hash: 'kept', changedAt: t.clock.now() });
    });
    const { link } = await makeResetLink(gate, OPERATOR, { email: owner?.email ?? '' });
    const invited = await createInvitation(gate, OPERATOR, {
      projectId,
      email: 'bob@example.org',
      role: 'viewer',
    });
    const { file } = await backUp(t, {});
    const { dataDir } = await restore(file, t.clock);
    const restored = (await openRestored(dataDir, t.clock)).gate;
    expect(await restored.storage.read.listSessions(userId)).toEqual([]);
    const token = link.split('#')[1] ?? '';
    const reset = finishPasswordReset(restored, { token, password: 'four tame herons dance' });
    expect((await refusalOf(reset)).code).toBe('not_found');
    const found = await restored.storage.read.findInvitation(invited.invitation.id);
    expect(found?.revokedAt).not.toBeNull();
    expect((await restored.storage.read.findPassword(userId))?.hash).toBe('kept');
    expect(restored.secretEncryption.decrypt(`totp ${userId}`, sealed)).toBe('JBSWY3DPEHPK3PXP');
  });
});
