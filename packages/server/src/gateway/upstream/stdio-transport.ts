/**
 * Speaks MCP with a command on this machine. The process has its own group and none of the gate's environment. The
 * length of its lines is limited while they arrive.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { UpstreamError } from './upstream-error.ts';

export interface StdioTransportOptions {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  mostLineBytes: number;
  /** Receives the command's standard error line by line; the number and length of lines are limited. */
  onErrorLine: (line: string) => void;
}

const NEWLINE = 0x0a;
/** Time between closing the command's input and killing the command. */
const PATIENCE_MS = 500;
const LAST_WORDS_MS = 300;
/** Limits what is buffered for a command that does not read its input. */
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;
/** A command that sends more messages per second is flooding. */
const MOST_MESSAGES_PER_SECOND = 1000;
const MOST_ERROR_LINE = 500;
const MOST_ERROR_LINES_PER_MINUTE = 30;

/** Process groups that must end with this process, in whatever way this process ends. */
const groups = new Set<number>();
let isListening = false;

function endWithThisProcess(group: number): void {
  groups.add(group);
  if (isListening) return;
  isListening = true;
  process.on('exit', () => {
    for (const one of groups) killGroup(one, 'SIGKILL');
  });
}

function killGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The group no longer exists.
  }
}

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  /** The client recognises a stdio transport by these two members. */
  readonly stderr = null;
  pid: number | null = null;
  /** Why the process ended, if it ended by itself or the gate ended it for its behaviour. */
  failure: UpstreamError | undefined;
  readonly #options: StdioTransportOptions;
  readonly #ended = Promise.withResolvers<void>();
  #child: ChildProcessWithoutNullStreams | undefined;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #second = 0;
  #messages = 0;
  #closed = false;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const child = spawn(command, [...args], { cwd, env, detached: true, shell: false, stdio: 'pipe' });
    this.#child = child;
    child.once('spawn', () => {
      if (child.pid !== undefined) {
        this.pid = child.pid;
        endWithThisProcess(child.pid);
      }
      resolve();
    });
    child.once('error', ({ code }: NodeJS.ErrnoException) => {
      this.failure ??= new UpstreamError(
        `Its command cannot be started (${code ?? 'no reason was given'}).`,
        {
          mayHaveArrived: false,
        },
      );
      reject(this.failure);
      this.#over();
    });
    child.once('exit', (code, signal) => {
      this.failure ??= new UpstreamError(`Its command ended (${signal ?? `code ${code}`}).`, {
        mayHaveArrived: true,
      });
      // Also kills the processes that the command started.
      if (child.pid !== undefined) {
        killGroup(child.pid, 'SIGKILL');
        groups.delete(child.pid);
      }
      // The last output may still be in the pipe. After this time, the gate stops waiting for a process that keeps the
      // pipe open.
      setTimeout(() => this.#over(), LAST_WORDS_MS).unref();
    });
    child.once('close', () => this.#over());
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (part: Buffer) => this.#read(part));
    this.#readErrors(child);
    return promise;
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (this.#closed || !stdin?.writable)
      return Promise.reject(
        this.failure ?? new UpstreamError('Its command has ended.', { mayHaveArrived: false }),
      );
    if (stdin.writableLength > MOST_UNREAD_BYTES) {
      this.#fail('It does not read what it is sent.');
      return Promise.reject(this.failure);
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    stdin.write(serializeMessage(message), (error) => {
      if (error)
        reject(this.failure ?? new UpstreamError('Its command has ended.', { mayHaveArrived: true }));
      else resolve();
    });
    return promise;
  }

  /** Ends the process and everything it started. Resolves when the process is gone. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      this.#over();
      return;
    }
    const { pid } = child;
    this.failure ??= new UpstreamError('The connection was closed.', { mayHaveArrived: true });
    this.#closed = true;
    child.stdin.end();
    killGroup(pid, 'SIGTERM');
    const patience = setTimeout(() => killGroup(pid, 'SIGKILL'), PATIENCE_MS);
    await this.#ended.promise;
    clearTimeout(patience);
  }

  #over(): void {
    this.#parts = [];
    this.#partBytes = 0;
    const wasOver = this.#child === undefined;
    // A process that left the group may keep the streams open, so close them without waiting for that process.
    for (const stream of this.#child?.stdio ?? []) stream?.destroy();
    this.#child = undefined;
    this.#closed = true;
    this.#ended.resolve();
    if (!wasOver) this.onclose?.();
  }

  #fail(message: string): void {
    this.failure ??= new UpstreamError(message, { mayHaveArrived: true });
    this.onerror?.(this.failure);
    const pid = this.#child?.pid;
    if (pid !== undefined) killGroup(pid, 'SIGKILL');
  }

  #read(part: Buffer): void {
    let rest = part;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      if (this.failure) return;
      if (this.#isTooLong(end)) return;
      const line = Buffer.concat([...this.#parts, rest.subarray(0, end)]).toString('utf8');
      this.#parts = [];
      this.#partBytes = 0;
      rest = rest.subarray(end + 1);
      this.#take(line);
    }
    if (rest.length === 0 || this.failure || this.#isTooLong(rest.length)) return;
    this.#parts.push(rest);
    this.#partBytes += rest.length;
  }

  #isTooLong(more: number): boolean {
    const { mostLineBytes } = this.#options;
    if (this.#partBytes + more <= mostLineBytes) return false;
    this.#parts = [];
    this.#partBytes = 0;
    this.#fail(`It answers with more than ${Math.floor(mostLineBytes / 1024)} KiB.`);
    return true;
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    const second = Math.floor(performance.now() / 1000);
    this.#messages = second === this.#second ? this.#messages + 1 : 1;
    this.#second = second;
    if (this.#messages > MOST_MESSAGES_PER_SECOND) {
      this.#fail('It sends too many messages.');
      return;
    }
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error('no message'));
    }
  }

  #readErrors({ stderr }: ChildProcessWithoutNullStreams): void {
    let line = '';
    let minute = 0;
    let lines = 0;
    stderr.setEncoding('utf8');
    stderr.on('error', (error) => this.onerror?.(error));
    stderr.on('data', (text: string) => {
      const parts = text.split('\n');
      for (const [index, part] of parts.entries()) {
        line = (line + part).slice(0, MOST_ERROR_LINE);
        if (index === parts.length - 1) break;
        const now = Math.floor(performance.now() / 60_000);
        lines = now === minute ? lines + 1 : 1;
        minute = now;
        if (line !== '' && lines <= MOST_ERROR_LINES_PER_MINUTE) this.#options.onErrorLine(line);
        line = '';
      }
    });
  }
}
