import { existsSync } from 'node:fs';
import { verifyAudit } from '../gate/audit/verify-audit.ts';
import type { Gate } from '../gate/gate.ts';
import type { Instant } from '../gate/instant.ts';
import { declareRestored, type RestoredProject } from '../gate/restore/declare-restored.ts';
import { revokeAllKeys } from '../identity/keys/revoke-all-keys.ts';
import { inspectDatabase } from '../storage/sqlite/copy-database.ts';
import { databaseFile } from '../storage/sqlite/open-database.ts';
import { lockForServing } from '../storage/sqlite/serving-lock.ts';
import { BackupError } from './backup-error.ts';
import type { RestoreOptions } from './restore-backup.ts';

export interface AdoptOptions
  extends Pick<RestoreOptions, 'dataDir' | 'revokeKeys' | 'operator' | 'withGate'> {
  issuer: string;
}

export interface Adopted {
  /** As of when the directory is, as far as it tells itself. */
  copiedAt: Instant;
  restored: readonly RestoredProject[];
  keysRevoked: number;
}

/**
 * For a data directory that came back by itself, as a disk snapshot or a copied directory does: it is checked, and
 * then treated as one that `restoreBackup` made. Doing it twice does no harm.
 *
 * @throws BackupError `no_gate`, `damaged`; GateError `conflict` when the clock stands before the copy; Error while a
 * server has the directory
 */
export async function adoptCopy({
  dataDir,
  issuer,
  revokeKeys,
  operator,
  withGate,
}: AdoptOptions): Promise<Adopted> {
  const file = databaseFile(dataDir);
  if (!existsSync(file)) throw new BackupError('no_gate', `There is no gate in ${dataDir}.`);
  const { problems } = await inspectDatabase(file);
  if (problems.length > 0) throw new BackupError('damaged', `The database is damaged: ${problems[0]}.`);
  const lock = lockForServing(dataDir);
  try {
    return await withGate({ dataDir, issuer }, async (gate) => {
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
    });
  } finally {
    lock.release();
  }
}

/** The copy is at least as young; approvals are taken back from well before it on, so being early does no harm. */
async function lastSealedAt(gate: Gate): Promise<Instant> {
  const projects = await gate.storage.read.listProjects();
  const heads = await Promise.all(projects.map(({ id }) => gate.storage.read.findChainHead(id)));
  return heads
    .map((head) => head?.sealedAt ?? '')
    .reduce((last, at) => (at > last ? at : last), new Date(0).toISOString());
}
