/** The connections of this gate that are in use, and what their servers were last seen to say. */

import type { Look } from '../../gate/upstreams/look.ts';
import { readDefinitions } from '../../gate/upstreams/read-definition.ts';
import { recordLook } from '../../gate/upstreams/record-look.ts';
import type { Upstream, UpstreamReader } from '../../gate/upstreams/upstream.ts';
import type { UpstreamDeps } from '../../gate/upstreams/upstream-deps.ts';
import { openSettings } from '../../gate/upstreams/upstream-settings.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import { UpstreamConnection } from './upstream-connection.ts';
import { UpstreamError } from './upstream-error.ts';
import { type UpstreamPatience, USUAL_PATIENCE } from './upstream-patience.ts';

export interface HeldConnectionsOptions {
  outgoing: Outgoing;
  /** What commands find in their environment beside what was declared: PATH, HOME and LANG. */
  environment: Readonly<Record<string, string>>;
  /** A line that a command wrote to its standard error; inert, and without secrets. */
  onErrorLine?: (line: string, upstream: Pick<Upstream, 'id' | 'name'>) => void;
  onError?: (error: unknown, what: string) => void;
  patience?: Partial<UpstreamPatience>;
  /** So fresh a look is taken for one of now. */
  freshMs?: number;
  lookEveryMs?: number;
  /** Nobody used it for so long: it is let go. */
  idleMs?: number;
}

export interface Held {
  upstream: Upstream;
  connection: UpstreamConnection;
  calls: number;
  usedAt: number;
  lookedAt: number;
  /** The look under way, which those share who come meanwhile. */
  looking: Promise<Look> | undefined;
  lookAgain: NodeJS.Timeout | undefined;
  /** So often it told of a change since it was last quiet for a while, and was looked at for that. */
  told: number;
}

export class HeldConnections {
  /** Since the start, of this gate. */
  readonly counts = { looks: 0, failedLooks: 0 };
  readonly patience: UpstreamPatience;
  readonly #options: HeldConnectionsOptions;
  readonly #freshMs: number;
  readonly #idleMs: number;
  readonly #lookEveryMs: number;
  readonly #held = new Map<string, Held>();
  readonly #timer: NodeJS.Timeout;
  #gate: UpstreamDeps | undefined;
  #stopped = false;

  constructor(options: HeldConnectionsOptions) {
    this.#options = options;
    this.patience = { ...USUAL_PATIENCE, ...options.patience };
    this.#freshMs = options.freshMs ?? 1000;
    this.#idleMs = options.idleMs ?? 10 * 60_000;
    this.#lookEveryMs = options.lookEveryMs ?? 60_000;
    this.#timer = setInterval(() => this.#lookAtAll(), this.#lookEveryMs).unref();
  }

  attach(gate: UpstreamDeps): void {
    this.#gate = gate;
  }

  /** What is stored of upstream servers. */
  get committed(): UpstreamReader {
    if (!this.#gate) throw new Error('no gate was attached');
    return this.#gate.storage.committed;
  }

  get open(): number {
    return [...this.#held.values()].filter(({ connection }) => connection.isOpen).length;
  }

  /** Undefined when nobody can read how it is reached. */
  hold(upstream: Upstream): Held | undefined {
    const known = this.#held.get(upstream.id);
    if (known?.upstream.version === upstream.version) return known;
    if (known && known.upstream.version > upstream.version) return undefined;
    this.drop(upstream.id);
    const settings = this.#gate && openSettings(this.#gate, upstream);
    if (!settings || this.#stopped) return undefined;
    const { outgoing, environment, onErrorLine } = this.#options;
    const held: Held = {
      upstream,
      connection: new UpstreamConnection({
        settings,
        outgoing,
        environment,
        patience: this.patience,
        onToolsChanged: () => this.#lookSoon(held),
        onErrorLine: (line) => onErrorLine?.(line, upstream),
      }),
      calls: 0,
      usedAt: performance.now(),
      lookedAt: Number.NEGATIVE_INFINITY,
      looking: undefined,
      lookAgain: undefined,
      told: 0,
    };
    this.#held.set(upstream.id, held);
    return held;
  }

  drop(upstreamId: string): void {
    const held = this.#held.get(upstreamId);
    if (!held) return;
    this.#held.delete(upstreamId);
    clearTimeout(held.lookAgain);
    this.#end(held);
  }

  /** Undefined: somebody looked just now. */
  async lookBefore(held: Held): Promise<Look | undefined> {
    const isFresh = held.connection.isOpen && performance.now() - held.lookedAt < this.#freshMs;
    return isFresh ? undefined : this.look(held, { insists: false });
  }

  /** One at a time; whoever comes while one is under way that began before shares the next. */
  async look(held: Held, { insists }: { insists: boolean }): Promise<Look> {
    if (held.looking) {
      await held.looking;
      if (held.looking) return held.looking;
    }
    held.looking = this.#lookNow(held, insists).finally(() => {
      held.looking = undefined;
    });
    return held.looking;
  }

  /** Ends all connections, and what was started for them. */
  async close(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const { lookAgain } of held) clearTimeout(lookAgain);
    await Promise.all(held.map(({ connection }) => connection.close()));
    this.#options.outgoing.close();
  }

  async #lookNow(held: Held, insists: boolean): Promise<Look> {
    const { upstream, connection } = held;
    const look = await this.#ask(upstream, connection, insists);
    this.counts.looks += 1;
    if (look.kind === 'failed') this.counts.failedLooks += 1;
    const gate = this.#gate;
    if (!gate || this.#stopped || this.#held.get(upstream.id) !== held) return CHANGED;
    // Written before anything rests on it: a tool that changed is withdrawn first.
    if (!(await recordLook(gate, upstream, look))) {
      this.drop(upstream.id);
      return CHANGED;
    }
    held.lookedAt = performance.now();
    return look;
  }

  async #ask(upstream: Upstream, connection: UpstreamConnection, insists: boolean): Promise<Look> {
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
  #lookSoon(held: Held): void {
    held.lookedAt = Number.NEGATIVE_INFINITY;
    if (held.lookAgain || this.#stopped) return;
    const pause = Math.min(this.#freshMs * 2 ** held.told, this.#lookEveryMs);
    held.told = Math.min(held.told + 1, 20);
    held.lookAgain = setTimeout(() => {
      held.lookAgain = undefined;
      if (this.#held.get(held.upstream.id) === held) this.#lookAside(held);
    }, pause).unref();
  }

  #lookAtAll(): void {
    const now = performance.now();
    for (const [id, held] of this.#held) {
      if (!held.lookAgain) held.told = 0;
      if (held.calls > 0 || now - held.usedAt < this.#idleMs) this.#lookAside(held);
      else this.drop(id);
    }
  }

  #lookAside(held: Held): void {
    this.look(held, { insists: false }).catch((error) =>
      this.#options.onError?.(error, 'what an upstream server says could not be kept'),
    );
  }

  #end({ connection }: Held): void {
    connection
      .close()
      .catch((error) =>
        this.#options.onError?.(error, 'a connection to an upstream server could not be closed'),
      );
  }
}

const CHANGED: Look = { kind: 'failed', error: 'It was changed or removed just now.' };
