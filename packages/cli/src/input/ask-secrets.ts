/** Asks for secrets at a terminal. The terminal shows no typed text until the last secret was asked for and checked. */
import { PassThrough } from 'node:stream';
import { assertTerminal } from './ask.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_Z = '\u001a';

/** Asks for one secret. Undefined when nothing was typed, or after Ctrl-C or Ctrl-D. */
export type AskSecret = (question: string) => Promise<string | undefined>;

/**
 * Runs `work`, which asks for secrets. A person who types on while an answer is checked types into the next question.
 * Returning the terminal after each question would show that text, and the next question would not receive it.
 *
 * @param otherwise What the error says if nobody can be asked.
 * @throws CommandFailure without a terminal, and what `work` throws
 * @example const token = await askSecrets('Pass it on stdin.', (ask) => ask('Access token'));
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
    // Text after the end of the line answers the next question.
    if (lineEnd > 0) question = undefined;
  };
  const take = (keys: string) => {
    // Text that was typed before raw mode has another character at the end of a line.
    // After Ctrl-D or Ctrl-Z the question would accept nothing more, not even Ctrl-C. So Ctrl-D acts as Ctrl-C, and
    // Ctrl-Z does nothing.
    typed += keys.replaceAll('\n', '\r').replaceAll(CTRL_D, CTRL_C).replaceAll(CTRL_Z, '');
    feed();
    // With no question open, Ctrl-C is meant to end the command.
    if (!question && typed.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
  };
  // After a suspension, the terminal shows typed text again. Setting raw mode off first is needed, because Node
  // believes that it is still on.
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
