/**
 * Owns the streams of sealed events: how many there may be, whether those who read them still may, and their end. Looks
 * at every credential twice a second, as a request with it would.
 */
import { type Caller, isPerson } from '../../gate/access/caller.ts';
import { SealedTails } from '../../gate/audit/sealed-tails.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { repeatedly } from '../../gate/kernel/repeatedly.ts';
import { OpenSlots, type Slot } from '../../gate/limits/open-slots.ts';
import type { GateParts } from '../../open-gate.ts';
import { EventStream, type StreamQuery } from './event-stream.ts';

export interface EventStreamLimits {
  perCredential: number;
  /** With all tokens, sessions and services of theirs: who makes many has no more for it. */
  perPerson: number;
  perProject: number;
  inAll: number;
  heartbeatMs: number;
  /** Between two looks at the credentials, and at logs that other gates may have sealed. */
  pollMs: number;
  /** A reader that takes nothing for so long is cut off. */
  stalledMs: number;
}

const LIMITS: EventStreamLimits = {
  perCredential: 10,
  perPerson: 100,
  perProject: 500,
  inAll: 2000,
  heartbeatMs: 15_000,
  pollMs: 500,
  stalledMs: 30_000,
};

const RETRY_SECONDS = 5;
/** Looked at together; a database that answers several at once does. */
const POLLED_AT_ONCE = 50;

interface Open {
  stream: EventStream;
  slots: readonly Slot[];
  credentialId: string;
  projectId: string;
  /** Rejects when the credential may not read this log any more. */
  recheck: () => Promise<unknown>;
}

export interface StreamRequest extends Pick<StreamQuery, 'projectId' | 'types'> {
  caller: Caller;
  /** `seq` of the last event the reader has; undefined: from now on. */
  after: number | undefined;
  /** False: only what there is. */
  follow: boolean;
  recheck: () => Promise<unknown>;
}

export class EventStreams {
  readonly #tails: SealedTails;
  readonly #limits: EventStreamLimits;
  readonly #onError: (error: unknown) => void;
  readonly #open = new Set<Open>();
  /** Of credentials, persons and projects; those that are being opened have theirs. */
  readonly #slots: OpenSlots;
  readonly #stopPolling: () => Promise<void>;
  #closed = false;

  constructor(gate: GateParts, onError: (error: unknown) => void, limits: Partial<EventStreamLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
    this.#slots = new OpenSlots(this.#limits.inAll);
    this.#onError = onError;
    this.#tails = new SealedTails(gate, onError);
    this.#stopPolling = repeatedly(this.#limits.pollMs, () => this.#poll(), onError);
  }

  /** How many are open. */
  get count(): number {
    return this.#slots.taken;
  }

  /**
   * @throws GateError `rate_limited`: the credential, its person or the project has as many as it may;
   * `service_unavailable`: the gate has, or stops; `invalid_fields`: the log does not reach to `after`
   */
  async open(request: StreamRequest): Promise<EventStream> {
    const { projectId, types, recheck } = request;
    const { credentialId } = request.caller;
    const slots = this.#slotsOf(request);
    this.#take(slots);
    try {
      const head = await this.#tails.headOf(projectId);
      const after = request.after ?? head;
      if (after > head) {
        throw invalidFields({
          path: '/after',
          message: `The log ends at ${head}; it has no event ${after}.`,
        });
      }
      const until = request.follow ? undefined : head;
      return this.#start(
        { credentialId, projectId, slots, recheck },
        { projectId, after, types, until },
        head,
      );
    } catch (error) {
      this.#slots.giveBack(slots);
      throw error;
    }
  }

  /** Ends them all so that their readers go elsewhere; whoever comes later is refused. */
  close(): void {
    this.#closed = true;
    this.#tails.close();
    void this.#stopPolling();
    for (const { stream } of [...this.#open]) stream.end('shutdown');
  }

  #start(reader: Omit<Open, 'stream'>, query: StreamQuery, head: number): EventStream {
    const unfollow = this.#tails.follow(query.projectId, head);
    const stream = new EventStream(this.#tails, query, {
      heartbeatMs: this.#limits.heartbeatMs,
      // Spread, so that readers whose gate stopped do not all come to the next one at once.
      retryMs: () => 500 + Math.floor(Math.random() * 1500),
      onClose: () => {
        unfollow();
        this.#open.delete(open);
        this.#slots.giveBack(reader.slots);
      },
    });
    const open: Open = { ...reader, stream };
    this.#open.add(open);
    if (this.#closed) stream.end('shutdown');
    stream.run().catch(this.#onError);
    return stream;
  }

  #slotsOf({ caller, projectId }: StreamRequest): readonly Slot[] {
    const { perCredential, perPerson, perProject } = this.#limits;
    const personId = personOf(caller);
    return [
      { name: `credential ${caller.credentialId}`, whose: 'A credential', most: perCredential },
      ...(personId === undefined
        ? []
        : [{ name: `person ${personId}`, whose: 'A person, with all credentials,', most: perPerson }]),
      { name: `project ${projectId}`, whose: 'A project', most: perProject },
    ];
  }

  #take(slots: readonly Slot[]): void {
    const full = this.#closed ? 'all' : this.#slots.take(slots);
    if (full === undefined) return;
    if (full === 'all') {
      throw new GateError('service_unavailable', 'No further stream of events can be opened just now.', {
        retry_after_seconds: RETRY_SECONDS,
      });
    }
    throw new GateError(
      'rate_limited',
      `${full.whose} has at most ${full.most} streams of events at a time.`,
      { retry_after_seconds: RETRY_SECONDS },
    );
  }

  async #poll(): Promise<void> {
    const now = performance.now();
    const readers = new Map<string, Open[]>();
    for (const open of this.#open) {
      if (open.stream.stalledForMs(now) > this.#limits.stalledMs) {
        open.stream.cut();
        continue;
      }
      const reader = `${open.credentialId} ${open.projectId}`;
      const same = readers.get(reader);
      if (same) same.push(open);
      else readers.set(reader, [open]);
    }
    const all = [...readers.values()];
    for (let first = 0; first < all.length; first += POLLED_AT_ONCE) {
      await Promise.all(all.slice(first, first + POLLED_AT_ONCE).map((same) => this.#pollOne(same)));
    }
    await this.#tails.poll();
  }

  /** Fails closed: who cannot be looked up is told nothing more, and comes back by itself. */
  async #pollOne(same: readonly Open[]): Promise<void> {
    try {
      await same[0]?.recheck();
    } catch (error) {
      const refused = error instanceof GateError && error.code !== 'service_unavailable';
      if (!refused) this.#onError(error);
      for (const { stream } of same) stream.end(refused ? 'credential' : 'unavailable');
    }
  }
}

/** Whose program it is, or who looks themselves. */
function personOf(caller: Caller): string | undefined {
  if (caller.kind === 'secret') return caller.owner.id;
  return isPerson(caller) ? caller.user.id : undefined;
}
