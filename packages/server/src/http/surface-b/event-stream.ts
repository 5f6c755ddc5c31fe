import { Readable } from 'node:stream';
import type { EventType } from '@permitry/protocol';
import type { SealedEvent } from '../../gate/audit/audit-event.ts';
import type { SealedTails } from '../../gate/audit/sealed-tails.ts';
import { toAuditRecord } from '../../gate/audit/to-audit-record.ts';

/**
 * Why a stream ends. `credential`: it is no good any more, or may not read this log; `unavailable`: the log or the
 * credential could not be looked up; `shutdown`: the gate stops, another one goes on; `caught_up`: not asked to follow.
 */
export type StreamEnd = 'credential' | 'unavailable' | 'shutdown' | 'caught_up';

export interface StreamQuery {
  projectId: string;
  /** `seq` of the last event the reader has. */
  after: number;
  types: ReadonlySet<EventType> | undefined;
  /** Ends once it has told up to here; undefined: follows. */
  until: number | undefined;
}

/** Each is turned into text once, however many streams tell of it. */
const TEXTS = new WeakMap<SealedEvent, string>();

function toText(event: SealedEvent): string {
  let text = TEXTS.get(event);
  if (text === undefined) {
    // JSON has no line breaks of its own, so one line holds all of it.
    text = `id: ${event.seq}\ndata: ${JSON.stringify(toAuditRecord(event))}\n\n`;
    TEXTS.set(event, text);
  }
  return text;
}

/** Taken from the stream by nobody yet; what is more is not read from the log. */
const WAITING_BYTES = 16 * 1024;

/**
 * One reader's server-sent events (WHATWG HTML §9.2): reads the log no faster than it is read itself, so that a slow
 * reader costs a place in the log and no memory.
 */
export class EventStream {
  readonly readable: Readable;
  readonly #tails: SealedTails;
  readonly #query: StreamQuery;
  readonly #heartbeatMs: number;
  readonly #retryMs: () => number;
  readonly #ending = new AbortController();
  #reason: StreamEnd | undefined;
  #taken: (() => void) | undefined;
  #waitingSince: number | undefined;

  constructor(
    tails: SealedTails,
    query: StreamQuery,
    options: { heartbeatMs: number; retryMs: () => number; onClose: () => void },
  ) {
    this.#tails = tails;
    this.#query = query;
    this.#heartbeatMs = options.heartbeatMs;
    this.#retryMs = options.retryMs;
    this.readable = new Readable({ highWaterMark: WAITING_BYTES, read: () => this.#taken?.() });
    this.readable.once('close', () => {
      this.#ending.abort();
      this.#taken?.();
      options.onClose();
    });
  }

  /** For how long nothing was taken although something waits. */
  stalledForMs(now: number): number {
    return this.#waitingSince === undefined ? 0 : now - this.#waitingSince;
  }

  /** Tells what there is until it is ended, by itself or by others. Rejects, when all is said, if the log cannot be read. */
  async run(): Promise<void> {
    try {
      await this.#tell();
    } catch (error) {
      this.#reason ??= 'unavailable';
      throw error;
    } finally {
      this.#sayGoodbye();
    }
  }

  async #tell(): Promise<void> {
    const { projectId, after, types, until } = this.#query;
    let position = after;
    // Told before anything happens, so that whoever is cut off now goes on from here.
    await this.#write(`retry: ${this.#retryMs()}\nid: ${position}\n\n`);
    while (!this.#ending.signal.aborted) {
      const { events, through } = await this.#tails.readAfter(projectId, position, types);
      // The credential may have ended while the log was read.
      if (this.#ending.signal.aborted) return;
      if (through > position) {
        position = through;
        if (events.length > 0) await this.#write(events.map(toText).join(''));
        continue;
      }
      if (until !== undefined && position >= until) {
        this.#reason ??= 'caught_up';
        return;
      }
      const before = performance.now();
      await this.#tails.untilMore(projectId, position, this.#heartbeatMs, this.#ending.signal);
      const quiet = performance.now() - before >= this.#heartbeatMs - 1;
      // Keeps proxies from taking the connection for dead, and says how far a filter has looked.
      if (quiet && !this.#ending.signal.aborted) await this.#write(`:\nid: ${position}\n\n`);
    }
  }

  /** What waits to be read is still read; nothing is read from the log any more. */
  end(reason: StreamEnd): void {
    this.#reason ??= reason;
    this.#ending.abort();
    this.#taken?.();
  }

  /** For a reader that does not read: neither would it read a goodbye. */
  cut(): void {
    this.readable.destroy();
  }

  async #write(text: string): Promise<void> {
    if (this.readable.destroyed || this.readable.push(text)) return;
    this.#waitingSince = performance.now();
    await new Promise<void>((resolve) => {
      this.#taken = resolve;
      if (this.#ending.signal.aborted) resolve();
    });
    this.#taken = undefined;
    this.#waitingSince = undefined;
  }

  #sayGoodbye(): void {
    if (this.readable.destroyed) return;
    const reason = this.#reason ?? 'shutdown';
    this.readable.push(`event: end\nretry: ${this.#retryMs()}\ndata: ${JSON.stringify({ reason })}\n\n`);
    this.readable.push(null);
    // Nor is the end waited for longer than anything else is: who stopped reading keeps no place for good.
    this.#waitingSince = performance.now();
  }
}
