import type { Clock } from '../kernel/clock.ts';
import { addSeconds } from '../kernel/instant.ts';
import type { Storage } from '../kernel/storage.ts';
import type { ConnectorRequest, ConnectorRequestState, ConnectorRequestWriter } from './connector-request.ts';

/** A run whose gate did not say for so long that it lives is nobody's. */
const LEASE_SECONDS = 30;
const EXTEND_EVERY_MS = 10_000;
/** No connector takes longer by itself: whichever does is not waited for. */
const LONGEST_RUN_MS = 620_000;

export interface ToolRunsOptions {
  /** Names this process, among all there ever were. */
  holder: string;
  onError: (error: unknown) => void;
  longestRunMs?: number;
}

interface Run {
  /** Undefined when what came of it could not be written. */
  settled: Promise<ConnectorRequest | undefined>;
  controller: AbortController;
}

/** The tools that run at this gate now. Each outlives the request that started it, and keeps its lease. */
export class ToolRuns {
  readonly #clock: Clock;
  readonly #storage: Storage<unknown, ConnectorRequestWriter>;
  readonly #options: ToolRunsOptions;
  readonly #runs = new Map<string, Run>();
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** Calls since the start, by what they came to. `denied`: by policy, at once. `swept`: whoever ran it was gone. */
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

  /** How long what is claimed now is this gate's. */
  leaseEnd(): string {
    return addSeconds(this.#clock.now(), LEASE_SECONDS);
  }

  /**
   * Runs what was claimed, and keeps its lease until it is settled.
   *
   * @param run Runs the tool and writes what came of it. Aborted when the gate stops, or after the longest time a
   * connector may take.
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
        // A use that was given back may already have been made again, and run here.
        if (this.#runs.get(requestId)?.controller === controller) this.#runs.delete(requestId);
        if (this.#runs.size === 0) this.#stopTimer();
      });
    this.#runs.set(requestId, { settled, controller });
    this.#timer ??= setInterval(() => {
      this.extend().catch((error) => this.#options.onError(error));
    }, EXTEND_EVERY_MS).unref();
  }

  /** One after the other for a request: of many who come back at once one claims it, and the others find it claimed. */
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

  /** What comes of a run at this gate, for those who wait for it; undefined when it runs elsewhere or is over. */
  find(requestId: string): Promise<ConnectorRequest | undefined> | undefined {
    return this.#runs.get(requestId)?.settled;
  }

  /** Aborts when the gate stops: nobody is kept waiting any longer. */
  get stopping(): AbortSignal {
    return this.#closing.signal;
  }

  /** Says of all that runs here that it still does. Called by a timer; tests call it themselves. */
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

  /**
   * Gives what runs so many milliseconds to end; then tells it to stop, and leaves what does not to the next start,
   * which finds it `unknown`.
   */
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

/** For a connector that heeds its signal to answer, and for that answer to be written. */
const LAST_WORDS_MS = 500;
