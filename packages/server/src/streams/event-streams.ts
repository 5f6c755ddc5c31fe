/**
 * Owns the open streams of one endpoint: how many there may be, whether their readers may still read, and when they
 * end. The endpoint itself supplies their messages (`StreamWords`).
 */
import { GateError } from '../gate/kernel/errors.ts';
import { repeatedly } from '../gate/kernel/repeatedly.ts';
import { yieldToEventLoop } from '../gate/kernel/yield-to-event-loop.ts';
import { OpenSlots, type Slot } from '../gate/limits/open-slots.ts';
import { EventStream, type StreamEnd, type StreamQuery, type StreamWords } from './event-stream.ts';
import type { Position, SealedTails } from './sealed-tails.ts';

export interface StreamLimits {
  inAll: number;
  /**
   * Interval between checks of a reader while nothing happens. A reader is also checked before it is sent anything.
   */
  checkMs: number;
  heartbeatMs: number;
  /** A reader that takes nothing for this long is cut off. */
  stalledMs: number;
  /** Buffered bytes of one stream that its connection has not taken yet. */
  waitingBytes: number;
}

/** The limits of one endpoint, and its texts for a refusal. */
export interface StreamDoor extends StreamLimits {
  /** A plural noun: `live pages`. */
  what: string;
  /** A full sentence. */
  whenFull: string;
}

export const USUAL_LIMITS = {
  checkMs: 15_000,
  heartbeatMs: 15_000,
  stalledMs: 30_000,
  waitingBytes: 16 * 1024,
} as const;

const RETRY_SECONDS = 5;
/** How many readers are checked concurrently, for databases that answer several queries at once. */
const CHECKED_AT_ONCE = 50;

export interface StreamRequest extends Omit<StreamQuery, 'position' | 'words'> {
  slots: readonly Slot[];
  /** One check covers all streams with the same reader. */
  reader: string;
  /** Returns a reason if the stream must end. A rejection also ends the stream. */
  recheck(): Promise<StreamEnd | undefined>;
  projectIds: readonly string[];
  /** Chooses where the stream begins, and its messages. */
  begin(heads: Position): { position: Position; words: StreamWords };
}

interface Reader {
  streams: Set<EventStream>;
  recheck: StreamRequest['recheck'];
  /** `growths` of the logs when the latest check began. */
  growths: number;
  checked: Promise<void>;
}

export class EventStreams {
  readonly #tails: SealedTails;
  readonly #door: StreamDoor;
  readonly #onError: (error: unknown) => void;
  /** A stream takes its slots before it is opened. */
  readonly #slots: OpenSlots;
  readonly #readers = new Map<string, Reader>();
  readonly #stopChecking: () => Promise<void>;
  #closed = false;

  constructor(tails: SealedTails, onError: (error: unknown) => void, door: StreamDoor) {
    this.#tails = tails;
    this.#door = door;
    this.#onError = onError;
    this.#slots = new OpenSlots(door.inAll);
    this.#stopChecking = repeatedly(door.checkMs, () => this.#checkAll(), onError);
  }

  get count(): number {
    return this.#slots.taken;
  }

  /** Finds the slot that is full; `all`: the whole gate is full or stopping. */
  findFull(slots: readonly Slot[]): Slot | 'all' | undefined {
    return this.#closed ? 'all' : this.#slots.findFull(slots);
  }

  /**
   * @throws GateError `rate_limited` (a slot is full), `service_unavailable` (the gate is full or stopping); what
   * `begin` throws
   */
  async open({ slots, projectIds, begin, ...rest }: StreamRequest): Promise<EventStream> {
    this.#assertRoom(slots);
    this.#slots.take(slots);
    try {
      const heads = await this.#tails.headsOf(projectIds);
      const { position, words } = begin(heads);
      return this.#start({ ...rest, position, words }, rest, { heads, slots });
    } catch (error) {
      this.#slots.giveBack(slots);
      throw error;
    }
  }

  /** Ends all streams, so that their readers move to another gate, and refuses new ones. */
  close(): void {
    this.#closed = true;
    void this.#stopChecking();
    for (const reader of this.#readers.values()) endAll(reader, 'shutdown');
  }

  #assertRoom(slots: readonly Slot[]): void {
    const full = this.findFull(slots);
    if (full === undefined) return;
    const { what, whenFull } = this.#door;
    const details = { retry_after_seconds: RETRY_SECONDS };
    if (full === 'all') throw new GateError('service_unavailable', whenFull, details);
    throw new GateError('rate_limited', `${full.whose} has at most ${full.most} ${what}.`, details);
  }

  #start(
    query: StreamQuery,
    { reader: name, recheck }: Pick<StreamRequest, 'reader' | 'recheck'>,
    { heads, slots }: { heads: Position; slots: readonly Slot[] },
  ): EventStream {
    const unfollow = this.#tails.follow(heads);
    const reader = this.#readers.get(name) ?? {
      streams: new Set(),
      recheck,
      growths: -1,
      checked: Promise.resolve(),
    };
    this.#readers.set(name, reader);
    const check = () => this.#checkSince(reader);
    const stream = new EventStream(this.#tails, query, { ...this.#door, check });
    reader.streams.add(stream);
    stream.readable.once('close', () => {
      unfollow();
      reader.streams.delete(stream);
      if (reader.streams.size === 0) this.#readers.delete(name);
      this.#slots.giveBack(slots);
    });
    if (this.#closed) stream.end('shutdown');
    stream.run().catch((error) => this.#report(error));
    return stream;
  }

  /** One check serves all streams of the reader until a log grows again. */
  #checkSince(reader: Reader): Promise<void> {
    return reader.growths === this.#tails.growths ? reader.checked : this.#check(reader);
  }

  #check(reader: Reader): Promise<void> {
    reader.growths = this.#tails.growths;
    reader.checked = this.#findEnd(reader).then((reason) => {
      if (reason) endAll(reader, reason);
    });
    return reader.checked;
  }

  /** Fails closed: a reader that cannot be checked is sent nothing more. Its client reconnects. */
  async #findEnd({ recheck }: Reader): Promise<StreamEnd | undefined> {
    try {
      return await recheck();
    } catch (error) {
      if (error instanceof GateError && error.code !== 'service_unavailable') return 'credential';
      this.#report(error);
      return 'unavailable';
    }
  }

  /** A read that fails because the gate is stopping is not an error. */
  #report(error: unknown): void {
    if (!this.#closed) this.#onError(error);
  }

  async #checkAll(): Promise<void> {
    const now = performance.now();
    const readers = [...this.#readers.values()];
    for (const stream of readers.flatMap(({ streams }) => [...streams])) {
      if (stream.stalledForMs(now) > this.#door.stalledMs) stream.cut();
    }
    for (let first = 0; first < readers.length; first += CHECKED_AT_ONCE) {
      await Promise.all(readers.slice(first, first + CHECKED_AT_ONCE).map((reader) => this.#check(reader)));
      // Lets requests run in between, so that no request waits for a thousand checks.
      await yieldToEventLoop();
    }
  }
}

function endAll({ streams }: Reader, reason: StreamEnd): void {
  for (const stream of [...streams]) stream.end(reason);
}
