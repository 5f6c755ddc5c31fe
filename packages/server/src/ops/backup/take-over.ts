import type { OperatorCaller } from '../../gate/access/caller.ts';
import { verifyAudit } from '../../gate/audit/verify-audit.ts';
import type { Instant } from '../../gate/kernel/instant.ts';
import type { GateParts } from '../../open-gate.ts';
import { revokeAllKeys } from '../../people/keys/revoke-all-keys.ts';
import { declareRestored, type RestoredProject } from '../restore-detection/declare-restored.ts';
import { BackupError } from './backup-error.ts';

export interface Adopted {
  /** As of when the gate is, as far as it tells itself. */
  copiedAt: Instant;
  restored: readonly RestoredProject[];
  keysRevoked: number;
}

/** A gate that was put back to an older state by other means: its chains are verified, then it is declared restored. */
export async function takeOver(
  gate: GateParts,
  operator: OperatorCaller,
  { revokeKeys }: { revokeKeys: boolean },
): Promise<Adopted> {
  // Before anything is written: the first thing of this history must not be taken for the last of the copy.
  const copiedAt = await lastSealedAt(gate);
  for (const { id, name } of await gate.storage.read.listProjects()) {
    const { firstBad } = await verifyAudit(gate, operator, id);
    if (firstBad)
      throw new BackupError('damaged', `The audit log of ${name} does not verify: ${firstBad.message}`);
  }
  const restored = await declareRestored(gate, operator, { copiedAt });
  const keysRevoked = revokeKeys ? await revokeAllKeys(gate, operator) : 0;
  for (const { projectId } of restored) await gate.ledger.sealNow(projectId);
  return { copiedAt, restored, keysRevoked };
}

/** The copy is at least as young; approvals are taken back from well before it on, so being early does no harm. */
async function lastSealedAt(gate: GateParts): Promise<Instant> {
  const projects = await gate.storage.read.listProjects();
  const heads = await Promise.all(projects.map(({ id }) => gate.storage.read.findChainHead(id)));
  return heads
    .map((head) => head?.sealedAt ?? '')
    .reduce((last, at) => (at > last ? at : last), new Date(0).toISOString());
}
