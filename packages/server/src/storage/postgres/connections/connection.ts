import type { Client, QueryResult } from 'pg';
import type { SqlValue } from '../../sql/column.ts';
import type { PreparedQuery } from '../../sql/prepared-query.ts';
import { ConnectionLostError, endsConnection, sqlState } from '../postgres-error.ts';
import { statementOf } from '../statements/statements.ts';

/** After this long without an answer, check whether the server is there. */
const WORRY_MS = 750;

const IN_ABORTED_TRANSACTION = '25P02';

/**
 * One connection. Statements are sent without waiting for the answers to earlier ones; answers come in the same order.
 * The connection is cut when an answer is overdue and no server is there, or when it is long overdue. A server can
 * disappear without closing its connections.
 */
export class PostgresConnection {
  /** How many statements were run. */
  statements = 0;
  /** How often the server sent a warning. */
  warnings = 0;
  readonly #client: Client;
  readonly #answerTimeoutMs: number;
  readonly #isThere: (client: Client) => Promise<boolean>;
  #waiting = 0;
  /** When the server last answered, or when the wait for an answer began. */
  #silentSince = 0;
  #overdue: NodeJS.Timeout | undefined;
  #lost: ConnectionLostError | undefined;
  /** The error that aborted the transaction. For later statements the server only says that it is aborted. */
  #lastError: unknown;

  /**
   * @param isThere Whether the connection's server is there; called when the server is silent. Default: always, so the
   * connection waits for the whole time limit.
   */
  constructor(
    client: Client,
    answerTimeoutMs: number,
    isThere: (client: Client) => Promise<boolean> = async () => true,
  ) {
    this.#client = client;
    this.#answerTimeoutMs = answerTimeoutMs;
    this.#isThere = isThere;
    client.on('error', (error) => this.#lose(error));
    // By code, because the message is in the server's language: class 01, and a commit without a transaction.
    client.on('notice', ({ code }) => {
      if (code?.startsWith('01') || code === '25P01') this.warnings += 1;
    });
    client.on('end', () => this.#lose(new Error('the server ended the connection')));
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** @throws ConnectionLostError, or the server's own error */
  run<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<QueryResult> {
    return this.send(statementOf(query).one(params));
  }

  async send(query: { name?: string; text: string; values?: SqlValue[] }): Promise<QueryResult> {
    if (this.#lost) throw this.#lost;
    this.statements += 1;
    this.#await();
    try {
      return await this.#client.query(query);
    } catch (error) {
      if (this.#lost) throw this.#lost;
      if (sqlState(error) === undefined || endsConnection(error)) throw this.#lose(error);
      if (sqlState(error) !== IN_ABORTED_TRANSACTION) this.#lastError = error;
      throw this.#lastError;
    } finally {
      this.#answered();
    }
  }

  /** Sends several queries in one packet. */
  together<T>(send: () => T): T {
    const { stream } = this.#client.connection as unknown as { stream: { cork(): void; uncork(): void } };
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#overdue);
    this.#lost ??= new ConnectionLostError(new Error('the connection was closed'));
    await this.#client.end();
  }

  #await(): void {
    this.#waiting += 1;
    // A later statement must not reset the wait of earlier statements.
    if (this.#waiting > 1) return;
    this.#silentSince = performance.now();
    if (this.#overdue) this.#overdue.refresh();
    else {
      const everyMs = Math.min(WORRY_MS, this.#answerTimeoutMs);
      this.#overdue = setTimeout(() => this.#worry(), everyMs).unref();
    }
  }

  #worry(): void {
    if (this.#waiting === 0 || this.#lost) return;
    if (performance.now() - this.#silentSince >= this.#answerTimeoutMs) {
      this.#lose(new Error(`no answer within ${this.#answerTimeoutMs} ms`));
      return;
    }
    this.#overdue?.refresh();
    void this.#isThere(this.#client).then((found) => {
      if (!found) this.#lose(new Error('the server does not answer at all'));
    });
  }

  #answered(): void {
    this.#waiting -= 1;
    this.#silentSince = performance.now();
    // Each answer shows that the server is alive. When no statement waits, the timer does nothing.
    if (this.#waiting > 0) this.#overdue?.refresh();
  }

  #lose(cause: unknown): ConnectionLostError {
    clearTimeout(this.#overdue);
    if (!this.#lost) {
      this.#lost = new ConnectionLostError(cause);
      const { stream } = this.#client.connection as unknown as { stream: { destroy(): void } };
      stream.destroy();
    }
    return this.#lost;
  }
}
