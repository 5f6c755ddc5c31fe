import { keepBaseUrl } from '../../administration/served-base-url.ts';
import type { OperatorCaller } from '../../gate/access/caller.ts';
import type { GateParts } from '../../open-gate.ts';
import { revokeAllKeys } from '../../people/keys/revoke-all-keys.ts';
import { declareRestored, type RestoredProject } from '../restore-detection/declare-restored.ts';
import { checkContents } from './check-contents.ts';
import { unpackArchive } from './read-archive.ts';
import { stageFor } from './staging.ts';
import type { BackupExpectations, VerifiedBackup } from './verify-backup.ts';

export interface RestoreOptions extends BackupExpectations {
  file: string;
  /** Not there yet, or empty. */
  dataDir: string;
  /** Whether every key and user token ends: those that were revoked after the backup would come back to life. */
  revokeKeys: boolean;
  operator: OperatorCaller;
  /** Opens the gate in a directory as a server would, for this work, and closes it again. */
  withGate<T>(opened: { dataDir: string; issuer: string }, work: (gate: GateParts) => Promise<T>): Promise<T>;
}

export interface Restored extends VerifiedBackup {
  restored: readonly RestoredProject[];
  keysRevoked: number;
}

/**
 * Makes a gate out of a backup: unpacked and checked to the last record in a place of its own, its unused approvals
 * taken back and its projects stopped (see `declareRestored`), and only then moved to `dataDir`.
 *
 * @throws BackupError, or GateError `conflict` when the clock stands before the backup; then there is nothing in `dataDir`
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { file, dataDir, operator, onProgress = () => {} } = options;
  const staging = stageFor(dataDir);
  try {
    const unpacked = await unpackArchive(file, { ...options, onProgress, into: staging.path });
    const { manifest } = unpacked;
    const projects = await checkContents(staging.path, manifest, { ...options, onProgress });
    keepBaseUrl(staging.path, manifest.base_url);
    const gateThere = { dataDir: staging.path, issuer: manifest.base_url };
    const declared = await options.withGate(gateThere, async (gate) => {
      const restored = await declareRestored(gate, operator, { copiedAt: manifest.created_at });
      const keysRevoked = options.revokeKeys ? await revokeAllKeys(gate, operator) : 0;
      for (const { projectId } of restored) await gate.ledger.sealNow(projectId);
      return { restored, keysRevoked };
    });
    staging.publish();
    return { ...unpacked, projects, ...declared };
  } finally {
    staging.remove();
  }
}
