/** The `permitry` command: a door for the operator at the machine, to the same operations as the HTTP surfaces. */
// First: whoever started us may be gone by the time the rest is loaded.
import './starter.ts';
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { reportFailure } from './report-failure.ts';

/**
 * Runs one command line and leaves its exit code in `process.exitCode`: 0 done, 1 refused or invalid, 2 usage.
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

/** Asked before the command line is parsed: that it cannot be parsed has to be said in JSON as well. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? undefined : end).includes('--json');
}

/** For a process of its own: whoever read what it says may be gone. */
export function bearClosedPipes(): void {
  // `permitry keys list | head -1` closes the pipe before we are done; that is no failure of ours.
  process.stdout.on('error', leaveQuietly);
  // Nor is it a reason to stop a gate that nobody reads its complaints any more.
  process.stderr.on('error', () => undefined);
}

function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || error.code === 'EIO') process.exit(0);
  throw error;
}
