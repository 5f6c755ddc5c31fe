/** Questions to somebody at a terminal. Where there is none nothing is asked: the command line has to say it. */
import { usage } from '../command-failure.ts';

const USUAL_COLUMNS = 80;
/** On stderr: what a command answers goes to stdout, and may go into a file. */
const ON_STDERR = { output: process.stderr };

/**
 * Yes or no; no is the default, and Ctrl-C.
 *
 * @param otherwise What to say instead where nobody can be asked.
 * @throws CommandFailure without a terminal
 */
export async function confirm(question: string, otherwise: string): Promise<boolean> {
  assertTerminal(otherwise);
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({ message: question, initialValue: false, ...ON_STDERR });
  return !isCancel(answer) && answer;
}

/** @throws CommandFailure saying `otherwise` where nobody can be asked */
export function assertTerminal(otherwise: string): void {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw usage(otherwise);
  // A terminal that does not know how wide it is (of `script`, of some containers) says 0: a letter a line, else.
  process.stderr.columns ||= USUAL_COLUMNS;
}
