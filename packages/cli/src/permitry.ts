/** The `permitry` command: gives the operator at the machine the same operations as the HTTP surfaces. */
// Imported first: the process that started this one may end before the rest is loaded.
import './starter.ts';
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { reportFailure } from './report-failure.ts';

/**
 * Runs one command line and sets `process.exitCode`: 0 done, 1 refused or invalid, 2 usage.
 *
 * @param argv As in `process.argv`: the runtime and the script come first.
 * @example await runPermitry(process.argv)
 */
export async function runPermitry(argv: readonly string[]): Promise<void> {
  const json = asksForJson(argv);
  try {
    await createProgram({ json }).parseAsync(argv);
  } catch (error) {
    const asked = error instanceof CommanderError && error.exitCode === 0;
    process.exitCode = asked ? 0 : await reportFailure(error, { json });
  }
}

/** Checked before the command line is parsed, because a parse error must be reported in JSON as well. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? undefined : end).includes('--json');
}

/** For a separate process: the reader of its output may have ended. */
export function bearClosedPipes(): void {
  // `permitry keys list | head -1` closes the pipe before we are done. That is not our failure.
  process.stdout.on('error', leaveQuietly);
  // A gate must not stop because nobody reads its errors.
  process.stderr.on('error', () => undefined);
}

function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || error.code === 'EIO') process.exit(0);
  throw error;
}
