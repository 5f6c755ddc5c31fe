/** Secrets typed at a terminal, which shows none of what is typed until the last of them is asked and looked at. */
import { PassThrough } from 'node:stream';
import { assertTerminal } from './ask.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_Z = '\u001a';

/** Asks for one; undefined when nothing was typed, or Ctrl-C or Ctrl-D. */
export type AskSecret = (question: string) => Promise<string | undefined>;

/**
 * Runs `work`, which asks for secrets. Whoever types on while an answer is looked at types into the next question: the
 * terminal would show it in between, if it were given back after each, and the question would not see it.
 *
 * @param otherwise What to say instead where nobody can be asked.
 * @throws CommandFailure without a terminal, and what `work` throws
 * @example const token = await askSecrets('Give it on stdin.', (ask) => ask('The token'));
 */
export async function askSecrets<T>(otherwise: string, work: (ask: AskSecret) => Promise<T>): Promise<T> {
  assertTerminal(otherwise);
  const { password, isCancel } = await import('@clack/prompts');
  const { stdin } = process;
  let typed = '';
  let question: PassThrough | undefined;
  const feed = () => {
    if (!question || typed === '') return;
    const lineEnd = typed.indexOf('\r') + 1;
    const line = typed.slice(0, lineEnd || typed.length);
    typed = typed.slice(line.length);
    question.write(line);
    // What stands behind the end of the line answers the question after this one.
    if (lineEnd > 0) question = undefined;
  };
  const take = (keys: string) => {
    // Typed before the terminal was ours, the end of a line is another character.
    // After Ctrl-D or Ctrl-Z the question would take nothing more, Ctrl-C neither: one gives up, the other does nothing.
    typed += keys.replaceAll('\n', '\r').replaceAll(CTRL_D, CTRL_C).replaceAll(CTRL_Z, '');
    feed();
    // With no question open, it is the command that is to end.
    if (!question && typed.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
  };
  // What was stopped from elsewhere gets a terminal back that shows what is typed; both, for one alone is believed done.
  const holdAgain = () => void stdin.setRawMode(false).setRawMode(true);
  process.on('SIGCONT', holdAgain);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8').on('data', take);
  try {
    return await work(async (message) => {
      question = new PassThrough();
      const answer = password({ message, input: question, output: process.stderr });
      feed();
      const secret = await answer;
      question = undefined;
      return isCancel(secret) || !secret ? undefined : secret;
    });
  } finally {
    process.off('SIGCONT', holdAgain);
    stdin.off('data', take).pause().setRawMode(false);
  }
}
