import type { EventType } from '@permitry/protocol';
import type { AuditReader, SealedEvent } from '../gate/audit/audit-event.ts';
import type { EventLog } from '../gate/audit/event-log.ts';
import { complainingOnce, repeatedly } from '../gate/kernel/repeatedly.ts';
import type { Storage } from '../gate/kernel/storage.ts';

/** Some of a project's sealed events, in order. */
export interface Stretch {
  events: readonly SealedEvent[];
  /** How far the log was looked through: with a filter, further than the last of the events. */
  through: number;
}

/** By project, the `seq` of the last event a reader has. */
export type Position = ReadonlyMap<string, number>;

/** Dependencies of following the log. */
export interface TailDeps {
  storage: Storage<AuditReader>;
  ledger: Pick<EventLog, 'onSealed'>;
}

/** Between two reads of the ends of all followed logs: no follower depends on a message from another gate. */
const POLL_MS = 500;
/** Kept of each project that is followed: those who keep up are served from memory, by one reading for all. */
const KEPT = 256;
/** Events a reader is handed at a time. */
const HANDED = 50;
/** Records looked through for one stretch, so that a filter which few match keeps nobody else waiting. */
const MOST_EXAMINED = 2000;

interface Tail {
  /** All that stand after `keptFrom`, up to `through`. */
  kept: readonly SealedEvent[];
  keptFrom: number;
  through: number;
  followers: number;
  reading: Promise<void> | undefined;
  again: boolean;
  woken: Set<() => void>;
}

/**
 * The one follower of projects' logs. It reads the growing end of each log once for all streams of all doors: when this
 * gate or a message says that events were sealed, and twice a second in case no message came.
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

  /** How often the logs have grown. A reader that was checked since the last time may get all that was read. */
  get growths(): number {
    return this.#growths;
  }

  /** `seq` of the last sealed event of each project; 0: none yet. */
  async headsOf(projectIds: readonly string[]): Promise<Position> {
    return new Map(await Promise.all(projectIds.map(async (id) => [id, await this.#headOf(id)] as const)));
  }

  /** Begins to follow projects whose logs reach to `heads`. Answers how to stop. */
  follow(heads: Position): () => void {
    const stops = [...heads].map(([projectId, head]) => this.#follow(projectId, head));
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** How far the log of a followed project was read. */
  endOf(projectId: string): number {
    return this.#tails.get(projectId)?.through ?? 0;
  }

  /** What stands after `afterSeq`; empty, and no further, at the end of the log. Of followed projects only. */
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

  /** Waits until a project has more, the time is over, or `signal` aborts. Resolves to whether the time was over. */
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
    // Sealed between the look at the end and now.
    this.#grow(projectId).catch(this.#onError);
    return () => {
      tail.followers -= 1;
      if (tail.followers === 0 && this.#tails.get(projectId) === tail) this.#tails.delete(projectId);
    };
  }

  async #headOf(projectId: string): Promise<number> {
    return (await this.#gate.storage.read.findChainHead(projectId))?.seq ?? 0;
  }

  /** Looks for what was sealed elsewhere. */
  async #poll(): Promise<void> {
    await Promise.all(
      [...this.#tails].map(async ([projectId, tail]) => {
        if ((await this.#headOf(projectId)) > tail.through) await this.#grow(projectId);
      }),
    );
  }

  /** One reading of a project at a time; what is sealed during it is read right after. */
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
        // Far behind: what lies between, each follower reads at its own pace.
        const through = await this.#headOf(projectId);
        Object.assign(tail, { kept: [], keptFrom: through, through, again: true });
      }
      this.#growths += 1;
      for (const wake of [...tail.woken]) wake();
    }
  }
}

function keep(tail: Tail, events: readonly SealedEvent[], through: number): void {
  // What was kept may hold what is erased by now: it is read again.
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
