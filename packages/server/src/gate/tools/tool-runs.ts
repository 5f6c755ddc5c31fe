import type { Clock } from '../kernel/clock.ts';
import { addSeconds } from '../kernel/instant.ts';
import type { Storage } from '../kernel/storage.ts';
import type { ConnectorRequest, ConnectorRequestState, ConnectorRequestWriter } from './connector-request.ts';

/** A run is considered lost if its gate does not renew the lease for this long. */
const LEASE_SECONDS = 30;
const EXTEND_EVERY_MS = 10_000;
/** A run that takes longer than this is aborted. A connector's own limits are shorter. */
const LONGEST_RUN_MS = 620_000;

export interface ToolRunsOptions {
  /** Identifies this process among all processes that ever ran. */
  holder: string;
  onError: (error: unknown) => void;
  longestRunMs?: number;
}

interface Run {
  /** Undefined if the result could not be written. */
  settled: Promise<ConnectorRequest | undefined>;
  controller: AbortController;
}

/** The tools that this gate is running. Each run outlives the HTTP request that started it and renews its lease. */
export class ToolRuns {
  readonly #clock: Clock;
  readonly #storage: Storage<unknown, ConnectorRequestWriter>;
  readonly #options: ToolRunsOptions;
  readonly #runs = new Map<string, Run>();
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /**
   * Calls since the start, by result. `denied`: by policy at creation. `swept`: the gate that ran the call was gone.
   */
  readonly counts = { pending: 0, denied: 0, executed: 0, failed: 0, unknown: 0, swept: 0 };

  constructor(
    parts: { storage: Storage<unknown, ConnectorRequestWriter>; clock: Clock },
    options: ToolRunsOptions,
  ) {
    this.#storage = parts.storage;
    this.#clock = parts.clock;
    this.#options = options;
  }

  get holder(): string {
    return this.#options.holder;
  }

  get running(): number {
    return this.#runs.size;
  }

  count(state: Exclude<ConnectorRequestState, 'executing'> | 'swept'): void {
    this.counts[state === 'refused' ? 'denied' : state] += 1;
  }

  /** The end of a lease that a run claimed now would get. */
  leaseEnd(): string {
    return addSeconds(this.#clock.now(), LEASE_SECONDS);
  }

  /**
   * Runs a claimed request and renews its lease until the request is settled.
   *
   * @param run Runs the tool and writes its result. Its signal aborts when the gate stops, or after the longest time
   * that a connector may take.
   */
  start(requestId: string, run: (signal: AbortSignal) => Promise<ConnectorRequest | undefined>): void {
    const controller = new AbortController();
    if (this.#closing.signal.aborted) controller.abort();
    const late = setTimeout(() => controller.abort(), this.#options.longestRunMs ?? LONGEST_RUN_MS).unref();
    const settled = run(controller.signal)
      .catch((error) => {
        this.#options.onError(error);
        return undefined;
      })
      .finally(() => {
        clearTimeout(late);
        // The use may have been undone and made again, so that a newer run of the request is listed here.
        if (this.#runs.get(requestId)?.controller === controller) this.#runs.delete(requestId);
        if (this.#runs.size === 0) this.#stopTimer();
      });
    this.#runs.set(requestId, { settled, controller });
    this.#timer ??= setInterval(() => {
      this.extend().catch((error) => this.#options.onError(error));
    }, EXTEND_EVERY_MS).unref();
  }

  /**
   * Queues work for the same request. If many callers come back together, the first claims the request and the others
   * find it claimed.
   */
  async oneAtATime<T>(requestId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(requestId) ?? Promise.resolve();
    const mine = before.then(work);
    const over = mine.catch(() => {});
    this.#queues.set(requestId, over);
    try {
      return await mine;
    } finally {
      if (this.#queues.get(requestId) === over) this.#queues.delete(requestId);
    }
  }

  /** Resolves to the result of a run at this gate. Undefined if the request runs at another gate or its run is over. */
  find(requestId: string): Promise<ConnectorRequest | undefined> | undefined {
    return this.#runs.get(requestId)?.settled;
  }

  /** Aborts when the gate stops, so that no caller has to wait. */
  get stopping(): AbortSignal {
    return this.#closing.signal;
  }

  /** Renews the leases of all runs here. A timer calls it; tests call it directly. */
  async extend(): Promise<void> {
    const ids = [...this.#runs.keys()].sort();
    if (ids.length === 0) return;
    const until = this.leaseEnd();
    await this.#storage.transaction(
      async (tx) => {
        for (const id of ids) await tx.extendConnectorRequest(id, this.#options.holder, until);
      },
      { guarded: true },
    );
  }

  /** Waits `graceMs` for runs to end, then aborts them. The next start settles any remaining runs as `unknown`. */
  async close(graceMs = 0): Promise<void> {
    await this.#endedWithin(graceMs);
    this.#closing.abort();
    for (const { controller } of this.#runs.values()) controller.abort();
    await this.#endedWithin(LAST_WORDS_MS);
    this.#stopTimer();
  }

  async #endedWithin(ms: number): Promise<void> {
    if (this.#runs.size === 0 || ms <= 0) return;
    const all = Promise.all([...this.#runs.values()].map(({ settled }) => settled));
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, ms);
    await Promise.race([all, late.promise]);
    clearTimeout(timer);
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Time for a connector that obeys its signal to answer, and for the gate to write that answer. */
const LAST_WORDS_MS = 500;
