import type { BackupExpectations } from '@permitry/server/ops';
import { readJwks } from '../audit-file/read-jwks.ts';
import { readSavedHead } from '../audit-file/read-saved-head.ts';
import { usage } from '../command-failure.ts';
import { readBackupKey } from './read-backup-key.ts';

export interface ExpectationFlags {
  keyFile?: string;
  sha256?: string;
  jwks?: string;
  since?: readonly string[];
}

/** Reads the values, kept elsewhere, that a backup is compared with. */
export async function readExpectations(
  flags: ExpectationFlags,
): Promise<Omit<BackupExpectations, 'onProgress'>> {
  if (flags.sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(flags.sha256)) {
    throw usage('--sha256 must be the 64 hexadecimal digits that permitry backup printed.');
  }
  return {
    key: await readBackupKey(flags.keyFile),
    sha256: flags.sha256,
    jwks: flags.jwks === undefined ? undefined : readJwks(flags.jwks),
    since: flags.since?.map(readSavedHead),
  };
}
