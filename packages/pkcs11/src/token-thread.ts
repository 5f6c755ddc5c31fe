import { Worker } from 'node:worker_threads';
import type { TokenSession } from './token-session.ts';

export interface TokenWorkerData {
  module: string;
  tokenLabel: string | null;
  pin: string;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** How long a call may take. A token that hangs must not hold up every request that needs a signature. */
const PATIENCE_MS = { sign: 5000, generate: 60_000, find: 10_000, destroy: 10_000, close: 1000 };

export type TokenCall = keyof typeof PATIENCE_MS;

/** Sends calls to the thread that talks to the token, and starts a new thread after that one has ended. */
export class TokenThread {
  readonly #data: TokenWorkerData;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #number = 0;
  /** Set while a call is overdue. Further calls are then refused immediately. */
  #hangs = false;

  constructor(data: TokenWorkerData) {
    this.#data = data;
  }

  /** Rejects with an `Error` that contains the token's error. */
  ask<C extends TokenCall>(
    call: C,
    ...args: Parameters<TokenSession[C]>
  ): Promise<ReturnType<TokenSession[C]>> {
    if (this.#hangs) return Promise.reject(new Error('the token has not answered an earlier call yet'));
    const worker = this.#started();
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#hangs = true;
        this.#settle(number)?.reject(new Error('the token did not answer in time'));
      }, PATIENCE_MS[call]);
      this.#waiting.set(number, { resolve, reject, timer });
      worker.ref();
      worker.postMessage({ number, call, args });
    });
  }

  async close(): Promise<void> {
    if (!this.#worker) return;
    await this.ask('close').catch(() => undefined);
    const worker = this.#worker;
    this.#worker = undefined;
    // A thread that hangs in the module cannot be ended. Waiting for it would hold up the end of the process.
    if (worker && !this.#hangs) await worker.terminate();
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./token-worker.ts', import.meta.url), { workerData: this.#data });
    worker.on(
      'message',
      ({ number, value, problem }: { number: number; value?: unknown; problem?: string }) => {
        this.#hangs = false;
        const waiting = this.#settle(number);
        if (problem === undefined) waiting?.resolve(value);
        else waiting?.reject(new Error(`the PKCS#11 token: ${problem}`));
      },
    );
    worker.on('error', (error) => this.#lost(worker, error));
    worker.on('exit', () => this.#lost(worker, new Error('the thread of the token ended')));
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #settle(number: number): Waiting | undefined {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    clearTimeout(waiting?.timer);
    // Only pending calls keep the process alive.
    if (this.#waiting.size === 0) this.#worker?.unref();
    return waiting;
  }

  #lost(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#hangs = false;
    const problem = error instanceof Error ? error : new Error(String(error));
    for (const number of [...this.#waiting.keys()]) this.#settle(number)?.reject(problem);
  }
}
