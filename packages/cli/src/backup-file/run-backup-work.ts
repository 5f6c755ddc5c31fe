/** Owns what the backup commands share: keys and flags, a low priority, progress, and their output. */
import { setPriority } from 'node:os';
import type { BackupRefusal, OnProgress } from '@permitry/server/ops';
import { CommandFailure, type FailureCode } from '../command-failure.ts';
import { createProgressLine } from '../printing/progress-line.ts';

/**
 * A process of this priority gets a tenth of a core that other processes want too. At the lowest priority, the backup
 * of a busy machine would never end.
 */
const NICENESS = 10;

/** The command line, or a file that it names, causes these refusals. */
const USAGE: readonly BackupRefusal[] = ['occupied', 'key_missing', 'key_wrong', 'keys_in_clear', 'no_gate'];

/**
 * Runs long work on a backup. A server on the same machine goes first, a terminal shows progress, and an interruption
 * leaves nothing behind.
 */
export async function runBackupWork<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  yieldToOthers();
  const { BackupError } = await import('@permitry/server/ops');
  // The exit deletes temporary folders, which hold unencrypted secrets.
  const interrupt = (signal: NodeJS.Signals) => process.exit(signal === 'SIGINT' ? 130 : 143);
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const progress = createProgressLine();
  try {
    return await work(({ what, done, total }) => {
      if (total > 0) progress.show(() => `${what} ${Math.floor((done / total) * 100)} % …`);
    });
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    throw new CommandFailure(USAGE.includes(error.reason) ? 2 : 1, error.message, {
      cause: error,
      code: codeOf(error.reason),
    });
  } finally {
    progress.clear();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function codeOf(reason: BackupRefusal): FailureCode {
  if (reason === 'no_gate') return 'no_gate';
  return USAGE.includes(reason) ? 'usage' : 'refused';
}

/** Must run before any thread starts, because threads inherit the priority. */
function yieldToOthers(): void {
  try {
    setPriority(NICENESS);
  } catch {
    // If the system does not allow this, the work runs with normal priority.
  }
}
