import type { OperatorCaller } from '../../gate/access/caller.ts';
import { verifyAudit } from '../../gate/audit/verify-audit.ts';
import type { Instant } from '../../gate/kernel/instant.ts';
import type { GateParts } from '../../open-gate.ts';
import { revokeAllKeys } from '../../people/keys/revoke-all-keys.ts';
import { declareRestored, type RestoredProject } from '../restore-detection/declare-restored.ts';
import { BackupError } from './backup-error.ts';

export interface Adopted {
  /** The time of the copy, as far as its own records show. */
  copiedAt: Instant;
  restored: readonly RestoredProject[];
  keysRevoked: number;
}

/**
 * Takes over a gate that was set back to an older state without `restoreBackup`. Verifies its chains, then declares it
 * restored.
 */
export async function takeOver(
  gate: GateParts,
  operator: OperatorCaller,
  { revokeKeys }: { revokeKeys: boolean },
): Promise<Adopted> {
  // Read before anything is written, so that the first new event is not taken for the last event of the copy.
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

/**
 * The copy is at least as recent as this time. A time that is too early does no harm: unused approvals are revoked from
 * well before that time on.
 */
async function lastSealedAt(gate: GateParts): Promise<Instant> {
  const projects = await gate.storage.read.listProjects();
  const heads = await Promise.all(projects.map(({ id }) => gate.storage.read.findChainHead(id)));
  return heads
    .map((head) => head?.sealedAt ?? '')
    .reduce((last, at) => (at > last ? at : last), new Date(0).toISOString());
}
