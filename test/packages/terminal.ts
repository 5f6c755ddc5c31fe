import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

/** Shorter than the limit of a test, so that the error says what was awaited. */
const LONGEST_MS = 100_000;

/** A shell into which a person pastes the blocks of a document. */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #gone: Promise<unknown>;
  #said = '';
  #blocks = 0;

  constructor({ cwd, env }: { cwd: string; env: Record<string, string> }) {
    // A separate process group, so that everything that the shell leaves running ends with the shell.
    this.#shell = spawn('bash', ['--norc', '--noprofile'], { cwd, env, stdio: 'pipe', detached: true });
    this.#gone = once(this.#shell, 'close');
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#said += chunk.toString();
      });
    }
  }

  /** Runs a block to its end and returns its output. @throws Error when its last command failed. */
  async run(block: string): Promise<string> {
    return this.start(block).end();
  }

  /** Starts the block and does not wait for its end. */
  start(block: string): { end(): Promise<string>; says(pattern: RegExp): Promise<string> } {
    const from = this.#said.length;
    const mark = `[block ${++this.#blocks} ended:`;
    this.#shell.stdin?.write(`{ ${block}\n} < /dev/null\necho "${mark} $?]"\n`);
    const says = async (pattern: RegExp) => {
      const until = Date.now() + LONGEST_MS;
      for (;;) {
        const said = this.#said.slice(from);
        const [found] = pattern.exec(said) ?? [];
        if (found !== undefined) return found;
        if (Date.now() > until || said.includes(mark))
          throw new Error(`not said: ${pattern}\n${block}\n${said}`);
        await wait(25);
      }
    };
    return { end: () => this.#endOf(block, from, mark), says };
  }

  async #endOf(block: string, from: number, mark: string): Promise<string> {
    const until = Date.now() + LONGEST_MS;
    while (!this.#said.includes(mark, from)) {
      if (this.#shell.exitCode !== null || Date.now() > until)
        throw new Error(`did not end:\n${block}\n${this.#said.slice(from)}`);
      await wait(25);
    }
    const [said = '', rest = ''] = this.#said.slice(from).split(mark);
    if (!rest.startsWith(' 0]')) throw new Error(`failed:\n${block}\n${said}`);
    return said;
  }

  async close(): Promise<void> {
    if (this.#shell.pid !== undefined && this.#shell.exitCode === null)
      process.kill(-this.#shell.pid, 'SIGTERM');
    this.#shell.stdin?.destroy();
    await this.#gone;
  }
}
