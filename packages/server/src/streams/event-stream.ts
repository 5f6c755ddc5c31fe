import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventType } from '@permitry/protocol';
import type { SealedEvent } from '../gate/audit/audit-event.ts';
import type { Position, SealedTails } from './sealed-tails.ts';

/**
 * Why a stream ends. `credential`: the credential ended, or may not read this log. `membership`: the person's projects
 * or roles changed. `unavailable`: the log or the credential could not be read. `shutdown`: this gate is stopping, and
 * the reader can continue at another one. `caught_up`: the reader did not ask to follow.
 */
export type StreamEnd = 'credential' | 'membership' | 'unavailable' | 'shutdown' | 'caught_up';

/** Some of a project's events, in order. */
interface News {
  projectId: string;
  events: readonly SealedEvent[];
}

/** The messages of one kind of stream, as server-sent events (WHATWG HTML §9.2). */
export interface StreamWords {
  /** The first message, sent before any event. */
  hello(position: Position): string | Promise<string>;
  /** @param before The reader's position before these events. */
  tell(news: News, before: Position): string | Promise<string>;
  /** One message in place of more than fifty events. If the method is missing, the stream sends each event. */
  tellMany?(projectId: string, position: Position): string;
  /** Keeps proxies from closing an idle connection. */
  beat(position: Position): string;
  goodbye(reason: StreamEnd): string | Promise<string>;
}

export interface StreamQuery {
  words: StreamWords;
  /** The reader's position in each project. */
  position: Position;
  /** All types by default. */
  types?: ReadonlySet<EventType> | undefined;
  /** False: the stream ends after it has sent all events that exist. */
  follows?: boolean | undefined;
  /** Pause after a message, so that the next one covers everything that happens meanwhile. */
  restMs?: number | undefined;
}

export interface WriterOptions {
  heartbeatMs: number;
  /** No more of the log is read while this many bytes wait for the reader. */
  waitingBytes: number;
  /** Ends the stream if its reader may no longer read. */
  check(): Promise<void>;
}

/** More events than this become one message, if the stream has `tellMany`. */
const MOST_TOLD = 50;

/**
 * Writes one reader's server-sent events. It reads the log no faster than the reader takes them. So a slow reader needs
 * no memory, only a position in the log.
 */
export class EventStream {
  readonly readable: Readable;
  readonly #tails: SealedTails;
  readonly #query: StreamQuery;
  readonly #options: WriterOptions;
  readonly #position: Map<string, number>;
  readonly #ending = new AbortController();
  #reason: StreamEnd | undefined;
  #taken: (() => void) | undefined;
  #waitingSince: number | undefined;
  #wroteAt = performance.now();

  constructor(tails: SealedTails, query: StreamQuery, options: WriterOptions) {
    this.#tails = tails;
    this.#query = query;
    this.#options = options;
    this.#position = new Map(query.position);
    this.readable = new Readable({
      highWaterMark: options.waitingBytes,
      read: () => this.#taken?.(),
    });
    this.readable.once('close', () => this.#stop());
  }

  /** How long buffered data has waited while the reader took none. */
  stalledForMs(now: number): number {
    return this.#waitingSince === undefined ? 0 : now - this.#waitingSince;
  }

  /** Runs until the stream ends. Rejects after the goodbye if the log could not be read. */
  async run(): Promise<void> {
    try {
      await this.#follow();
    } catch (error) {
      this.#reason ??= 'unavailable';
      throw error;
    } finally {
      await this.#sayGoodbye();
    }
  }

  /** Lets the reader take the buffered messages, but reads no more of the log. */
  end(reason: StreamEnd): void {
    this.#reason ??= reason;
    this.#stop();
  }

  /** Ends without a goodbye: a client that has stopped reading would not read it. */
  cut(): void {
    this.readable.destroy();
  }

  async #follow(): Promise<void> {
    const { words, follows = true } = this.#query;
    const { signal } = this.#ending;
    // Sent before any event, so that a reader that is cut off now can resume from here.
    await this.#write(await words.hello(this.#position));
    while (!signal.aborted) {
      const hasRead = await this.#readOn();
      if (!hasRead && !follows) {
        this.#reason ??= 'caught_up';
        return;
      }
      // A heartbeat is also due while the log grows only by events that this stream leaves out. Its client must not
      // consider it dead.
      const dueInMs = this.#wroteAt + this.#options.heartbeatMs - performance.now();
      const isQuiet = hasRead
        ? dueInMs <= 0
        : await this.#tails.untilMore(this.#position, Math.max(dueInMs, 0), signal);
      if (isQuiet && !signal.aborted) await this.#write(words.beat(this.#position));
    }
  }

  /** Returns whether there was anything to read. */
  async #readOn(): Promise<boolean> {
    const { words, types, restMs } = this.#query;
    let hasRead = false;
    for (const [projectId, seq] of this.#position) {
      const isMuch = words.tellMany !== undefined && this.#tails.endOf(projectId) - seq > MOST_TOLD;
      const { events, through } = isMuch
        ? { events: [], through: this.#tails.endOf(projectId) }
        : await this.#tails.readAfter(projectId, seq, types);
      if (through === seq) continue;
      hasRead = true;
      const isNews = isMuch || events.length > 0;
      // The credential may have ended while the log was read.
      if (isNews) await this.#options.check();
      if (this.#ending.signal.aborted) break;
      const before = new Map(this.#position);
      this.#position.set(projectId, through);
      if (!isNews) continue;
      const text = isMuch
        ? words.tellMany?.(projectId, this.#position)
        : words.tell({ projectId, events }, before);
      await this.#write((await text) ?? '');
      if (restMs !== undefined) await this.#rest(restMs);
    }
    return hasRead;
  }

  async #rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#ending.signal, ref: false }).catch(() => undefined);
  }

  #stop(): void {
    this.#ending.abort();
    this.#taken?.();
  }

  async #write(text: string): Promise<void> {
    this.#wroteAt = performance.now();
    if (this.readable.destroyed || this.readable.push(text)) return;
    this.#waitingSince = performance.now();
    await new Promise<void>((resolve) => {
      this.#taken = resolve;
      if (this.#ending.signal.aborted) resolve();
    });
    this.#taken = undefined;
    this.#waitingSince = undefined;
  }

  async #sayGoodbye(): Promise<void> {
    const goodbye = await this.#query.words.goodbye(this.#reason ?? 'shutdown');
    if (this.readable.destroyed) return;
    if (goodbye !== '') this.readable.push(goodbye);
    this.readable.push(null);
    // A reader that does not take the goodbye is cut off like any other stalled reader, so that it does not keep its
    // slot.
    this.#waitingSince = performance.now();
  }
}
