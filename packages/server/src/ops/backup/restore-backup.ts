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
  /** Does not exist yet, or is empty. */
  dataDir: string;
  /**
   * Whether to revoke every key and user token. Otherwise, keys and tokens revoked after the backup would work again.
   */
  revokeKeys: boolean;
  operator: OperatorCaller;
  /** Opens the gate in a directory as a server would, runs the work, and closes it again. */
  withGate<T>(opened: { dataDir: string; issuer: string }, work: (gate: GateParts) => Promise<T>): Promise<T>;
}

export interface Restored extends VerifiedBackup {
  restored: readonly RestoredProject[];
  keysRevoked: number;
}

/**
 * Restores a gate from a backup. Unpacks the backup to a staging folder and checks every record. Then revokes the
 * gate's unused approvals and stops its projects (see `declareRestored`). Only then moves the gate to `dataDir`.
 * @throws BackupError, or GateError `conflict` when the clock is before the backup. After an error, `dataDir` has no
 * gate
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
