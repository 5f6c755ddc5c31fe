/** The connections of this gate that are in use, and what their servers were last seen to say. */

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
  /** What commands find in their environment beside what was declared: PATH, HOME and LANG. */
  environment: Readonly<Record<string, string>>;
  /** A line that a command wrote to its standard error; inert, and without secrets. */
  onErrorLine?: (line: string, upstream: Pick<Upstream, 'id' | 'name'>) => void;
  onError?: (error: unknown, what: string) => void;
  patience?: Partial<UpstreamPatience>;
  /** So fresh a look is taken for one of now. */
  freshMs?: number;
  pollEveryMs?: number;
  /** Nobody used it for so long: it is let go. */
  idleMs?: number;
}

export interface PooledConnection {
  upstream: Upstream;
  connection: UpstreamConnection;
  calls: number;
  usedAt: number;
  polledAt: number;
  /** The look under way, which those share who come meanwhile. */
  polling: Promise<UpstreamPoll> | undefined;
  pollAgain: NodeJS.Timeout | undefined;
  /** So often it told of a change since it was last quiet for a while, and was looked at for that. */
  changes: number;
}

export class ConnectionPool {
  /** Since the start, of this gate. */
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

  /** What is stored of upstream servers. */
  get stored(): UpstreamReader {
    if (!this.#gate) throw new Error('no gate was attached');
    return this.#gate.storage.read;
  }

  get open(): number {
    return [...this.#pool.values()].filter(({ connection }) => connection.isOpen).length;
  }

  /** Undefined when nobody can read how it is reached. */
  async connect(upstream: Upstream): Promise<PooledConnection | undefined> {
    // Loaded with the first server that is asked for anything: most gates have none, and the SDK is large.
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

  /** Undefined: somebody looked just now. */
  async pollBefore(pooled: PooledConnection): Promise<UpstreamPoll | undefined> {
    const isFresh = pooled.connection.isOpen && performance.now() - pooled.polledAt < this.#freshMs;
    return isFresh ? undefined : this.poll(pooled, { insists: false });
  }

  /** One poll runs at a time. Callers that come while an earlier one runs share the next. */
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

  /** Ends all connections, and what was started for them. */
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
    // Written before anything rests on it: a tool that changed is withdrawn first.
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
   * However often a server says that its tools changed, and later each time while it goes on: each look may write. A call
   * looks before, all the same.
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
      this.#options.onError?.(error, 'what an upstream server says could not be kept'),
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
