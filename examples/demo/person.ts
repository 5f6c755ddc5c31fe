/** Asks the person at the terminal, if there is one. */
import process from 'node:process';

export type PersonSays = 'yes' | 'no' | 'nothing' | 'nobody is there';

const PATIENCE_MS = 3_000;
const CTRL_C = '\u0003';

/** One key press decides, without Enter. `nobody is there`: the demo does not run in a terminal. */
export async function askPerson(question: string): Promise<PersonSays> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return 'nobody is there';
  stdout.write(question);
  stdin.setRawMode(true);
  stdin.resume();
  try {
    return await new Promise<PersonSays>((resolve) => {
      setTimeout(resolve, PATIENCE_MS, 'nothing');
      stdin.on('data', (typed: Buffer) => {
        const key = typed.toString('utf8').toLowerCase();
        if (key.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
        else if (key.startsWith('y')) resolve('yes');
        else if (key.startsWith('n')) resolve('no');
      });
    });
  } finally {
    stdin.removeAllListeners('data');
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write('\n');
  }
}
