import type { EventType } from '@permitry/protocol';
import type { AuditReader, SealedEvent } from '../gate/audit/audit-event.ts';
import type { EventLog } from '../gate/audit/event-log.ts';
import { complainingOnce, repeatedly } from '../gate/kernel/repeatedly.ts';
import type { Storage } from '../gate/kernel/storage.ts';

/** Some of a project's sealed events, in order. */
export interface Stretch {
  events: readonly SealedEvent[];
  /** How far the log was searched. With a filter, this can be after the last event found. */
  through: number;
}

/** By project, the `seq` of the last event that a reader has. */
export type Position = ReadonlyMap<string, number>;

/** Dependencies of following the logs. */
export interface TailDeps {
  storage: Storage<AuditReader>;
  ledger: Pick<EventLog, 'onSealed'>;
}

/**
 * Interval between reads of the ends of all followed logs. Another process may seal events without a message: a gate
 * whose message was lost, or a command on the same directory.
 */
const POLL_MS = 500;
/** Events kept for each followed project. One read serves all followers that keep up from memory. */
const KEPT = 256;
/** Events that a reader gets at a time. */
const HANDED = 50;
/** Events searched in one read, so that a filter with few matches does not delay other readers. */
const MOST_EXAMINED = 2000;

interface Tail {
  /** All events after `keptFrom`, up to `through`. */
  kept: readonly SealedEvent[];
  keptFrom: number;
  through: number;
  followers: number;
  reading: Promise<void> | undefined;
  again: boolean;
  woken: Set<() => void>;
}

/**
 * Follows the projects' logs. It reads the growing end of each log once for all streams of all endpoints. It reads
 * when this gate or a message announces sealed events, and twice a second in case no message arrives.
 */
export class SealedTails {
  readonly #gate: TailDeps;
  readonly #tails = new Map<string, Tail>();
  readonly #onError: (error: unknown) => void;
  readonly #stopListening: () => void;
  readonly #stopPolling: () => Promise<void>;
  #growths = 0;

  constructor(gate: TailDeps, onError: (error: unknown) => void, { pollMs = POLL_MS } = {}) {
    this.#gate = gate;
    this.#onError = onError;
    this.#stopListening = gate.ledger.onSealed((projectId) => {
      this.#grow(projectId).catch(onError);
    });
    this.#stopPolling = repeatedly(
      pollMs,
      complainingOnce(() => this.#poll(), onError),
      onError,
    );
  }

  /**
   * How often the logs have grown. A reader that was checked since the last growth may get everything read so far.
   */
  get growths(): number {
    return this.#growths;
  }

  /** The `seq` of the last sealed event of each project; 0 if there is none yet. */
  async headsOf(projectIds: readonly string[]): Promise<Position> {
    return new Map(await Promise.all(projectIds.map(async (id) => [id, await this.#headOf(id)] as const)));
  }

  /** Starts to follow projects whose logs reach to `heads`. Returns a function that stops. */
  follow(heads: Position): () => void {
    const stops = [...heads].map(([projectId, head]) => this.#follow(projectId, head));
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** How far the log of a followed project has been read. */
  endOf(projectId: string): number {
    return this.#tails.get(projectId)?.through ?? 0;
  }

  /**
   * Returns events after `afterSeq`. At the end of the log, returns no events and the same position. Works for followed
   * projects only.
   */
  async readAfter(projectId: string, afterSeq: number, types?: ReadonlySet<EventType>): Promise<Stretch> {
    const tail = this.#tails.get(projectId);
    if (!tail || afterSeq >= tail.through) return { events: [], through: afterSeq };
    if (afterSeq >= tail.keptFrom) {
      const handed = tail.kept.filter(({ seq }) => seq > afterSeq).slice(0, HANDED);
      return {
        events: types ? handed.filter(({ type }) => types.has(type)) : handed,
        through: handed.at(-1)?.seq ?? tail.through,
      };
    }
    const throughSeq = Math.min(tail.through, afterSeq + MOST_EXAMINED);
    const events = await this.#gate.storage.read.listSealedEvents({
      projectId,
      ...(types ? { types: [...types] } : {}),
      order: 'asc',
      afterSeq,
      throughSeq,
      limit: HANDED,
    });
    const last = events.at(-1);
    return { events, through: events.length === HANDED && last ? last.seq : throughSeq };
  }

  /**
   * Waits until a project has more events, the time is over, or `signal` aborts. Resolves to true if the time was over.
   */
  untilMore(position: Position, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const hasMore = [...position].some(([projectId, seq]) => this.endOf(projectId) > seq);
    if (hasMore || signal.aborted) return Promise.resolve(false);
    const tails = [...position.keys()].flatMap((projectId) => this.#tails.get(projectId) ?? []);
    return new Promise((resolve) => {
      const leave = (isLate: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        for (const { woken } of tails) woken.delete(wake);
        resolve(isLate);
      };
      const wake = () => leave(false);
      const timer = setTimeout(() => leave(true), timeoutMs);
      signal.addEventListener('abort', wake, { once: true });
      for (const { woken } of tails) woken.add(wake);
    });
  }

  /** Resolves when the last read has ended. */
  close(): Promise<void> {
    this.#stopListening();
    return this.#stopPolling();
  }

  #follow(projectId: string, head: number): () => void {
    const tail = this.#tails.get(projectId) ?? {
      kept: [],
      keptFrom: head,
      through: head,
      followers: 0,
      reading: undefined,
      again: false,
      woken: new Set(),
    };
    tail.followers += 1;
    this.#tails.set(projectId, tail);
    // Reads events that were sealed after the head was read.
    this.#grow(projectId).catch(this.#onError);
    return () => {
      tail.followers -= 1;
      if (tail.followers === 0 && this.#tails.get(projectId) === tail) this.#tails.delete(projectId);
    };
  }

  async #headOf(projectId: string): Promise<number> {
    return (await this.#gate.storage.read.findChainHead(projectId))?.seq ?? 0;
  }

  /** Looks for events that other processes sealed. */
  async #poll(): Promise<void> {
    await Promise.all(
      [...this.#tails].map(async ([projectId, tail]) => {
        if ((await this.#headOf(projectId)) > tail.through) await this.#grow(projectId);
      }),
    );
  }

  /** Runs one read of a project's log at a time. Events sealed during a read are read right after it. */
  #grow(projectId: string): Promise<void> {
    const tail = this.#tails.get(projectId);
    if (!tail) return Promise.resolve();
    tail.again = true;
    tail.reading ??= this.#readOn(projectId, tail).finally(() => {
      tail.reading = undefined;
    });
    return tail.reading;
  }

  async #readOn(projectId: string, tail: Tail): Promise<void> {
    while (tail.again && tail.followers > 0) {
      tail.again = false;
      const afterSeq = tail.through;
      const events = await this.#gate.storage.read.listSealedEvents({
        projectId,
        order: 'asc',
        afterSeq,
        limit: KEPT,
      });
      const last = events.at(-1);
      if (!last) continue;
      if (events.length < KEPT) keep(tail, events, last.seq);
      else {
        // There are too many new events to keep: each follower reads the gap at its own pace.
        const through = await this.#headOf(projectId);
        Object.assign(tail, { kept: [], keptFrom: through, through, again: true });
      }
      this.#growths += 1;
      for (const wake of [...tail.woken]) wake();
    }
  }
}

function keep(tail: Tail, events: readonly SealedEvent[], through: number): void {
  // Kept events may contain text that was erased, so they are read again.
  if (events.some(({ type }) => type === 'text.erased')) {
    Object.assign(tail, { kept: [], keptFrom: through, through });
    return;
  }
  const all = [...tail.kept, ...events];
  const gone = all.at(-KEPT - 1);
  tail.kept = all.slice(-KEPT);
  tail.keptFrom = gone?.seq ?? tail.keptFrom;
  tail.through = through;
}
