import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import type { BackupKey } from '@permitry/server/ops';
import { usage } from '../command-failure.ts';
import { readSecretVariable } from '../input/secret-variable.ts';

const VARIABLE = 'PERMITRY_BACKUP_KEY';

/**
 * The key of `--key-file`. Without it, the key in PERMITRY_BACKUP_KEY or its file, if any.
 *
 * @throws CommandFailure for a file that cannot be read, or that holds a secret and others may read
 */
export async function readBackupKey(path: string | undefined): Promise<BackupKey | undefined> {
  const { parseBackupKey } = await import('@permitry/server/ops');
  if (path === undefined) {
    const text = await readSecretVariable(VARIABLE);
    return text === undefined ? undefined : parseBackupKey(text);
  }
  const { text, isPrivate } = readKeyFile(path);
  const key = parseBackupKey(text);
  if (key.kind !== 'recipients' && !isPrivate) {
    throw usage(`Others can read --key-file ${path}, which holds a secret. Run: chmod 600 ${path}`);
  }
  return key;
}

function readKeyFile(path: string): { text: string; isPrivate: boolean } {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (cause) {
    throw usage(`Cannot read --key-file ${path}. Check that it exists and that you may read it.`, cause);
  }
  try {
    const { mode } = fstatSync(file);
    // Windows has no such modes: Node reports the same bits for every file.
    return {
      text: readFileSync(file, 'utf8'),
      isPrivate: process.platform === 'win32' || (mode & 0o077) === 0,
    };
  } finally {
    closeSync(file);
  }
}
