/** This gate's open connections to MCP servers, and the results of their latest checks. */

import { readDefinitions } from '../../gate/upstreams/read-definition.ts';
import { recordPoll } from '../../gate/upstreams/record-poll.ts';
import type { Upstream, UpstreamReader } from '../../gate/upstreams/upstream.ts';
import type { UpstreamPoll } from '../../gate/upstreams/upstream-client.ts';
import type { UpstreamDeps } from '../../gate/upstreams/upstream-deps.ts';
import { openSettings } from '../../gate/upstreams/upstream-settings.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import type { UpstreamConnection } from './upstream-connection.ts';
import { UpstreamError } from './upstream-error.ts';
import { type UpstreamPatience, USUAL_PATIENCE } from './upstream-patience.ts';

export interface ConnectionPoolOptions {
  outgoing: Outgoing;
  /** Environment of every command besides its declared variables: PATH, HOME and LANG. */
  environment: Readonly<Record<string, string>>;
  /** Receives each line that a command writes to its standard error. The line is inert and contains no secrets. */
  onErrorLine?: (line: string, upstream: Pick<Upstream, 'id' | 'name'>) => void;
  onError?: (error: unknown, what: string) => void;
  patience?: Partial<UpstreamPatience>;
  /** A check this recent counts as current. */
  freshMs?: number;
  pollEveryMs?: number;
  /** A connection that nobody used for this long is closed. */
  idleMs?: number;
}

export interface PooledConnection {
  upstream: Upstream;
  connection: UpstreamConnection;
  calls: number;
  usedAt: number;
  polledAt: number;
  /** The running check. Callers that arrive during the check share it. */
  polling: Promise<UpstreamPoll> | undefined;
  pollAgain: NodeJS.Timeout | undefined;
  /** How many checks the server's change notifications caused since its last quiet period. */
  changes: number;
}

export class ConnectionPool {
  /** Counts of this gate since its start. */
  readonly counts = { polls: 0, failedPolls: 0 };
  readonly patience: UpstreamPatience;
  readonly #options: ConnectionPoolOptions;
  readonly #freshMs: number;
  readonly #idleMs: number;
  readonly #pollEveryMs: number;
  readonly #pool = new Map<string, PooledConnection>();
  readonly #timer: NodeJS.Timeout;
  #gate: UpstreamDeps | undefined;
  #stopped = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.patience = { ...USUAL_PATIENCE, ...options.patience };
    this.#freshMs = options.freshMs ?? 1000;
    this.#idleMs = options.idleMs ?? 10 * 60_000;
    this.#pollEveryMs = options.pollEveryMs ?? 60_000;
    this.#timer = setInterval(() => this.#pollAll(), this.#pollEveryMs).unref();
  }

  attach(gate: UpstreamDeps): void {
    this.#gate = gate;
  }

  /** The stored MCP servers. */
  get stored(): UpstreamReader {
    if (!this.#gate) throw new Error('no gate was attached');
    return this.#gate.storage.read;
  }

  get open(): number {
    return [...this.#pool.values()].filter(({ connection }) => connection.isOpen).length;
  }

  /** Returns undefined if the connection settings cannot be read. */
  async connect(upstream: Upstream): Promise<PooledConnection | undefined> {
    // Loads the SDK with the first server that is used: it is large, and most gates have no servers.
    const { UpstreamConnection } = await import('./upstream-connection.ts');
    const known = this.#pool.get(upstream.id);
    if (known?.upstream.version === upstream.version) return known;
    if (known && known.upstream.version > upstream.version) return undefined;
    this.drop(upstream.id);
    const settings = this.#gate && openSettings(this.#gate, upstream);
    if (!settings || this.#stopped) return undefined;
    const { outgoing, environment, onErrorLine } = this.#options;
    const pooled: PooledConnection = {
      upstream,
      connection: new UpstreamConnection({
        settings,
        outgoing,
        environment,
        patience: this.patience,
        onToolsChanged: () => this.#pollSoon(pooled),
        onErrorLine: (line) => onErrorLine?.(line, upstream),
      }),
      calls: 0,
      usedAt: performance.now(),
      polledAt: Number.NEGATIVE_INFINITY,
      polling: undefined,
      pollAgain: undefined,
      changes: 0,
    };
    this.#pool.set(upstream.id, pooled);
    return pooled;
  }

  drop(upstreamId: string): void {
    const pooled = this.#pool.get(upstreamId);
    if (!pooled) return;
    this.#pool.delete(upstreamId);
    clearTimeout(pooled.pollAgain);
    this.#end(pooled);
  }

  /** Returns undefined if the latest check is still current. */
  async pollBefore(pooled: PooledConnection): Promise<UpstreamPoll | undefined> {
    const isFresh = pooled.connection.isOpen && performance.now() - pooled.polledAt < this.#freshMs;
    return isFresh ? undefined : this.poll(pooled, { insists: false });
  }

  /** Runs one poll at a time. Callers that arrive during a poll share the next one. */
  async poll(pooled: PooledConnection, { insists }: { insists: boolean }): Promise<UpstreamPoll> {
    if (pooled.polling) {
      await pooled.polling;
      if (pooled.polling) return pooled.polling;
    }
    pooled.polling = this.#pollNow(pooled, insists).finally(() => {
      pooled.polling = undefined;
    });
    return pooled.polling;
  }

  /** Ends all connections, and the processes started for them. */
  async close(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    const pooled = [...this.#pool.values()];
    this.#pool.clear();
    for (const { pollAgain } of pooled) clearTimeout(pollAgain);
    await Promise.all(pooled.map(({ connection }) => connection.close()));
    this.#options.outgoing.close();
  }

  async #pollNow(pooled: PooledConnection, insists: boolean): Promise<UpstreamPoll> {
    const { upstream, connection } = pooled;
    const poll = await this.#ask(upstream, connection, insists);
    this.counts.polls += 1;
    if (poll.kind === 'failed') this.counts.failedPolls += 1;
    const gate = this.#gate;
    if (!gate || this.#stopped || this.#pool.get(upstream.id) !== pooled) return CHANGED;
    // Stores the result before anything relies on it: a changed tool is disabled first.
    if (!(await recordPoll(gate, upstream, poll))) {
      this.drop(upstream.id);
      return CHANGED;
    }
    pooled.polledAt = performance.now();
    return poll;
  }

  async #ask(upstream: Upstream, connection: UpstreamConnection, insists: boolean): Promise<UpstreamPoll> {
    try {
      const { server, tools } = await connection.list({ insists });
      return { kind: 'seen', server, tools: readDefinitions(upstream.name, tools) };
    } catch (error) {
      return {
        kind: 'failed',
        error: error instanceof UpstreamError ? error.message : 'It does not speak the protocol.',
      };
    }
  }

  /**
   * Checks again after a change notification. Each further notification doubles the pause, because each check may
   * write. The gate still checks before it sends a call.
   */
  #pollSoon(pooled: PooledConnection): void {
    pooled.polledAt = Number.NEGATIVE_INFINITY;
    if (pooled.pollAgain || this.#stopped) return;
    const pause = Math.min(this.#freshMs * 2 ** pooled.changes, this.#pollEveryMs);
    pooled.changes = Math.min(pooled.changes + 1, 20);
    pooled.pollAgain = setTimeout(() => {
      pooled.pollAgain = undefined;
      if (this.#pool.get(pooled.upstream.id) === pooled) this.#pollAside(pooled);
    }, pause).unref();
  }

  #pollAll(): void {
    const now = performance.now();
    for (const [id, pooled] of this.#pool) {
      if (!pooled.pollAgain) pooled.changes = 0;
      if (pooled.calls > 0 || now - pooled.usedAt < this.#idleMs) this.#pollAside(pooled);
      else this.drop(id);
    }
  }

  #pollAside(pooled: PooledConnection): void {
    this.poll(pooled, { insists: false }).catch((error) =>
      this.#options.onError?.(error, 'the result of checking an upstream server could not be stored'),
    );
  }

  #end({ connection }: PooledConnection): void {
    connection
      .close()
      .catch((error) =>
        this.#options.onError?.(error, 'a connection to an upstream server could not be closed'),
      );
  }
}

const CHANGED: UpstreamPoll = { kind: 'failed', error: 'It was changed or removed just now.' };
