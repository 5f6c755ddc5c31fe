import { ConnectionLostError } from '../postgres-error.ts';
import { PostgresConnection } from './connection.ts';
import type { Servers } from './servers.ts';

/**
 * Opens connections as needed, at most `size`. A caller that finds all of them in use waits in a queue. When no
 * connection can be made, the whole queue fails together, so that its callers do not find out one after another.
 */
export class Pool {
  readonly #servers: Servers;
  readonly #size: number;
  readonly #answerTimeoutMs: number;
  readonly #free: PostgresConnection[] = [];
  readonly #all = new Set<PostgresConnection>();
  readonly #line: { go(): void; fail(error: unknown): void }[] = [];
  #taken = 0;
  /** Number of statements that connections ran before they were closed. */
  #statements = 0;
  #closed = false;

  constructor(servers: Servers, size: number, answerTimeoutMs: number) {
    this.#servers = servers;
    this.#size = size;
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  /** The state of its connections: in use, open and idle, and how many callers wait. */
  get standing(): { inUse: number; idle: number; waiting: number } {
    return { inUse: this.#all.size - this.#free.length, idle: this.#free.length, waiting: this.#line.length };
  }

  get statements(): number {
    let sum = this.#statements;
    for (const connection of this.#all) sum += connection.statements;
    return sum;
  }

  /** @throws ConnectionLostError when no connection can be made */
  async take(): Promise<PostgresConnection> {
    if (this.#taken >= this.#size) await new Promise<void>((go, fail) => this.#line.push({ go, fail }));
    else this.#taken += 1;
    try {
      for (let known = this.#free.pop(); known; known = this.#free.pop()) {
        if (!known.isLost) return known;
        this.#forget(known);
      }
      if (this.#closed) throw new ConnectionLostError(new Error('the storage is closed'));
      const client = await this.#servers.connect();
      const opened = new PostgresConnection(client, this.#answerTimeoutMs, (it) => this.#servers.isThere(it));
      this.#all.add(opened);
      return opened;
    } catch (error) {
      for (const waiting of this.#line.splice(0)) waiting.fail(error);
      this.#leave();
      throw error;
    }
  }

  /** @throws ConnectionLostError when no connection can be made; any error of the work */
  async use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const connection = await this.take();
    return work(connection).finally(() => this.give(connection));
  }

  give(connection: PostgresConnection): void {
    if (!this.#closed && !connection.isLost) {
      this.#free.push(connection);
    } else {
      this.#forget(connection);
      connection.close().catch(() => {});
    }
    this.#leave();
  }

  /** Connections in use are closed when they are returned. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#free.splice(0).map((connection) => connection.close()));
  }

  #forget(connection: PostgresConnection): void {
    this.#all.delete(connection);
    this.#statements += connection.statements;
  }

  /** The slot goes to the next caller in the queue, or becomes free. */
  #leave(): void {
    const next = this.#line.shift();
    if (next) next.go();
    else this.#taken -= 1;
  }
}
