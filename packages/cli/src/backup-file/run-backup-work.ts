/** Owns what the commands on backups share: their keys and flags, a low priority, progress, what they tell. */
import { setPriority } from 'node:os';
import type { BackupRefusal, OnProgress } from '@permitry/server/ops';
import { CommandFailure, type FailureCode } from '../command-failure.ts';
import { createProgressLine } from '../printing/progress-line.ts';

/** A tenth of a core that others want as well: at the lowest of all a backup of a busy machine would not end. */
const NICENESS = 10;

/** Of these the command line, or a file named on it, is the cause. */
const USAGE: readonly BackupRefusal[] = ['occupied', 'key_missing', 'key_wrong', 'keys_in_clear', 'no_gate'];

/**
 * Runs long work on a backup: behind a server on the same machine, with its progress on a terminal, and leaving
 * nothing behind when it is interrupted.
 */
export async function runBackupWork<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  yieldToOthers();
  const { BackupError } = await import('@permitry/server/ops');
  // The exit takes temporary folders with it, which hold secrets in clear.
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

/** Before any thread is started: threads inherit it. */
function yieldToOthers(): void {
  try {
    setPriority(NICENESS);
  } catch {
    // Where that is not allowed, it runs beside the others.
  }
}
