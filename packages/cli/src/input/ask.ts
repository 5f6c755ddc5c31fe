/** Asks questions at a terminal. Without a terminal, nothing is asked, and the command line must give the answer. */
import { usage } from '../command-failure.ts';

const USUAL_COLUMNS = 80;
/** For commands with `--yes`. */
const NO_TERMINAL = 'No terminal to confirm; pass --yes.';
/** Uses stderr, because a command's result goes to stdout, and may go into a file. */
const ON_STDERR = { output: process.stderr };

/**
 * Yes or no. The default is no, and so is Ctrl-C.
 *
 * @param otherwise What the error says if nobody can be asked.
 * @throws CommandFailure without a terminal
 */
export async function confirm(question: string, otherwise = NO_TERMINAL): Promise<boolean> {
  assertTerminal(otherwise);
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({ message: question, initialValue: false, ...ON_STDERR });
  return !isCancel(answer) && answer;
}

/** @throws CommandFailure with the text `otherwise` if nobody can be asked */
export function assertTerminal(otherwise: string): void {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw usage(otherwise);
  // A terminal that does not know its width (of `script`, of some containers) reports 0. A question would then be one
  // letter wide.
  process.stderr.columns ||= USUAL_COLUMNS;
}
