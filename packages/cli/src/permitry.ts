/** The `permitry` command: a door for the operator at the machine, to the same operations as the HTTP surfaces. */
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
  // `permitry keys list | head -1` closes the pipe before we are done; that is no failure of ours.
  process.stdout.on('error', leaveQuietly);
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    // Commander has written what is to be said already, be it help or a usage error.
    process.exitCode = error instanceof CommanderError ? exitCodeOf(error) : reportFailure(error);
  }
}

const USAGE = 2;

function exitCodeOf({ exitCode }: CommanderError): number {
  return exitCode === 0 ? 0 : USAGE;
}

function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}
