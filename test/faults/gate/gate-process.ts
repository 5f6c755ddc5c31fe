/** The real server, `permitry serve`, in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from './client.ts';

const BIN = join(import.meta.dirname, '../../../packages/cli/bin/permitry.js');

/**
 * The same URL in every process, because permits contain it. A gate that moves to another port continues to accept
 * them.
 */
export const BASE_URL = 'http://gate.test';

/** Without the settings, colours and options of the person who runs the tests. */
export function cleanEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(PERMITRY_.*|FORCE_COLOR|NO_COLOR|NODE_OPTIONS|NODE_COMPILE_CACHE)$/.test(name),
  );
  return { ...Object.fromEntries(kept), ...more };
}

export interface StartOptions {
  env?: NodeJS.ProcessEnv;
  /** Kills the gate during its start, after this many milliseconds. */
  killAfterMs?: number;
  /** A command that runs the gate in its own process, such as `ip netns exec NAME`. */
  launcher?: readonly string[];
  /** The address on which the gate listens. */
  host?: string;
}

const running = new Set<GateProcess>();

/** Kills all gates at the end of a scenario, whether it passed or failed. */
export async function killAllGates(): Promise<void> {
  await Promise.all([...running].map((gate) => gate.kill()));
}

export class GateProcess {
  readonly client: Client;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #errors: () => string;

  private constructor(child: ChildProcess, ended: Promise<unknown>, url: string, errors: () => string) {
    this.#child = child;
    this.#ended = ended;
    this.#errors = errors;
    this.client = new Client(url);
    running.add(this);
    void ended.then(() => running.delete(this));
  }

  /**
   * @param dataDir null: the gate's settings name a database
   * @throws Error with the gate's output, when it ends before it listens
   * @returns null when it was killed as requested
   */
  static async start(
    dataDir: string | null,
    { env = {}, killAfterMs, launcher = [], host = '127.0.0.1' }: StartOptions = {},
  ): Promise<GateProcess | null> {
    const flags = [
      ...(dataDir === null ? [] : ['--data', dataDir]),
      '--host',
      host,
      '--port',
      '0',
      '--base-url',
      BASE_URL,
    ];
    const serve = [BIN, 'serve', ...flags, '--rate-limit', '0', '--log-level', 'error', '--json'];
    const [program = '', ...args] = [...launcher, process.execPath, ...serve];
    const child = spawn(program, args, {
      env: cleanEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-20_000);
    });
    const ended = once(child, 'close');
    const killing =
      killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    const url = await Promise.race([readUrl(child), ended.then(() => null)]);
    if (killing !== undefined) {
      child.kill('SIGKILL');
      clearTimeout(killing);
      await ended;
      return null;
    }
    if (url === null) throw new Error(`permitry serve ended before it listened:\n${said}`);
    return new GateProcess(child, ended, url, () => said);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The gate's output on stderr. */
  get errors(): string {
    return this.#errors();
  }

  /** Like kill -9: nothing more is written. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
    this.client.close();
  }

  /** Suspends the gate (SIGSTOP): its connections stay open, and get no answer. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** Stops the gate as its supervisor would. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
    this.client.close();
  }

  /** Resident memory in megabytes. */
  memoryMb(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }
}

/** For callers that did not request a kill during the start. */
export async function startGate(dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<GateProcess> {
  const gate = await GateProcess.start(dataDir, { env });
  if (!gate) throw new Error('the server was killed');
  return gate;
}

function readUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const line = text.split('\n').find((candidate) => candidate.startsWith('{"url"'));
      if (line !== undefined && text.includes(`${line}\n`))
        resolve((JSON.parse(line) as { url: string }).url);
    });
  });
}

/** Runs one command of `permitry` to its end. */
export async function permitry(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: cleanEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
