import type { EventType } from '@permitry/protocol';
import type { AuditDeps } from './audit-deps.ts';
import type { SealedEvent } from './audit-event.ts';

/** Some of a project's sealed events, in order. */
export interface Stretch {
  events: readonly SealedEvent[];
  /** How far the log was examined. With a filter this may be further than the last of the events. */
  through: number;
}

/** Kept for each followed project: readers that keep up are served from memory, by one read for all. */
const KEPT = 256;
/** Events that a reader receives at a time. */
const HANDED = 50;
/** The most records examined for one stretch, so that a filter with few matches does not block others. */
const MOST_EXAMINED = 2000;

interface Tail {
  /** All events after `keptFrom` up to `through`. */
  kept: readonly SealedEvent[];
  keptFrom: number;
  through: number;
  followers: number;
  reading: Promise<void> | undefined;
  again: boolean;
  woken: Set<() => void>;
}

/**
 * The growing ends of projects' logs, for readers that follow them. One gate seals and all gates serve. The end is
 * looked up when another gate announces sealed events, and whenever `poll` is called.
 */
export class SealedTails {
  readonly #gate: Pick<AuditDeps, 'storage' | 'ledger'>;
  readonly #tails = new Map<string, Tail>();
  readonly #onError: (error: unknown) => void;
  readonly #stopListening: () => void;

  constructor(gate: Pick<AuditDeps, 'storage' | 'ledger'>, onError: (error: unknown) => void) {
    this.#gate = gate;
    this.#onError = onError;
    this.#stopListening = gate.ledger.onSealed((projectId) => {
      this.#grow(projectId).catch(onError);
    });
  }

  /** Looks for events sealed elsewhere. Rejects when the log cannot be read. */
  async poll(): Promise<void> {
    const { read } = this.#gate.storage;
    await Promise.all(
      [...this.#tails].map(async ([projectId, tail]) => {
        const head = await read.findChainHead(projectId);
        if ((head?.seq ?? 0) > tail.through) await this.#grow(projectId);
      }),
    );
  }

  /** `seq` of the last sealed event; 0 when there is none. */
  async headOf(projectId: string): Promise<number> {
    return (await this.#gate.storage.read.findChainHead(projectId))?.seq ?? 0;
  }

  /** Begins to follow a project whose log reaches to `head`. Returns a function that stops it. */
  follow(projectId: string, head: number): () => void {
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
    // Covers events sealed between the look at the end and now.
    this.#grow(projectId).catch(this.#onError);
    return () => {
      tail.followers -= 1;
      if (tail.followers === 0 && this.#tails.get(projectId) === tail) this.#tails.delete(projectId);
    };
  }

  /** The events after `afterSeq`. Empty, and no further, at the end of the log. Only for followed projects. */
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

  /** Resolves once there is more than `afterSeq`, when the time is over, or when `signal` aborts. */
  untilMore(projectId: string, afterSeq: number, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const tail = this.#tails.get(projectId);
    if (!tail || tail.through > afterSeq || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        tail.woken.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      signal.addEventListener('abort', done, { once: true });
      tail.woken.add(done);
    });
  }

  close(): void {
    this.#stopListening();
  }

  /** One read of a project at a time. What is sealed meanwhile is read right after. */
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
        // Far behind: each follower reads the part in between at its own pace.
        const through = await this.headOf(projectId);
        Object.assign(tail, { kept: [], keptFrom: through, through, again: true });
      }
      for (const wake of [...tail.woken]) wake();
    }
  }
}

function keep(tail: Tail, events: readonly SealedEvent[], through: number): void {
  // The cached events may hold texts erased since, so they are read again.
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
