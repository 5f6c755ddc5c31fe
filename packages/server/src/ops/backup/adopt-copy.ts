import { existsSync } from 'node:fs';
import { inspectDatabase } from '../../storage/sqlite/copy-database.ts';
import { databaseFile } from '../../storage/sqlite/open-database.ts';
import { lockForServing } from '../../storage/sqlite/serving-lock.ts';
import { BackupError } from './backup-error.ts';
import type { RestoreOptions } from './restore-backup.ts';
import { type Adopted, takeOver } from './take-over.ts';

export interface AdoptOptions
  extends Pick<RestoreOptions, 'dataDir' | 'revokeKeys' | 'operator' | 'withGate'> {
  issuer: string;
}

/**
 * Adopts a data directory that was restored without `restoreBackup`, e.g. from a disk snapshot or as a copied
 * directory. Checks the directory, then treats it like one that `restoreBackup` made. Repeating the call does no harm.
 * @throws BackupError `no_gate`, `damaged`; GateError `conflict` when the clock is before the copy; Error while a
 * server uses the directory
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
    return await withGate({ dataDir, issuer }, (gate) => takeOver(gate, operator, { revokeKeys }));
  } finally {
    lock.release();
  }
}
