import type { Clock } from '../kernel/clock.ts';
import { addSeconds } from '../kernel/instant.ts';
import type { Storage } from '../kernel/storage.ts';
import type { Lease, LeaseWriter } from './lease.ts';

/** A gate that died is followed by another after so long at most. */
const LEASE_SECONDS = 30;
const EXTEND_EVERY_MS = 10_000;
const GUARDED = { guarded: true };

export interface LeasesOptions {
  /** Names this process, among all there ever were. */
  holder: string;
  onError: (error: unknown) => void;
}

/**
 * The leases of this gate, taken before a piece of a queue is worked on, extended while it is, released after:
 *
 *     const done = await gate.leases.hold({ queue: 'mail', name: target }, () => deliverTo(target))
 *
 * What holds true beside it: a lease says who works, never what is true. A gate that was stopped for a minute goes on as
 * if nothing had been, while another has its lease; so what it writes about the work is guarded by the state of the
 * work itself (`where state = 'waiting'`), and what leaves the gate may leave twice.
 *
 * For a queue in which order and pace belong to a target: take the lease of that lane, read what is due in it only
 * then, and finish each piece by a guarded statement. Lanes come from a plain read of what is due; a lane that another
 * gate works on is passed over.
 */
export class Leases {
  readonly #storage: Storage<unknown, LeaseWriter>;
  readonly #clock: Clock;
  readonly #options: LeasesOptions;
  readonly #held = new Set<Lease>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: { storage: Storage<unknown, LeaseWriter>; clock: Clock }, options: LeasesOptions) {
    this.#storage = parts.storage;
    this.#clock = parts.clock;
    this.#options = options;
  }

  /**
   * Does the work while the lease is this gate's, and lets it go however the work ends.
   *
   * @returns What the work answered; undefined, and nothing was done, when somebody has the lease: another gate, or
   * this one.
   */
  async hold<T>(lease: Lease, work: () => Promise<T>): Promise<{ done: T } | undefined> {
    if (!(await this.#take(lease))) return undefined;
    try {
      return { done: await work() };
    } finally {
      await this.#release(lease);
    }
  }

  /** Says of all that is worked on here that it still is. Called by a timer; tests call it themselves. */
  async extend(): Promise<void> {
    const held = [...this.#held].sort(byName);
    if (held.length === 0) return;
    const until = addSeconds(this.#clock.now(), LEASE_SECONDS);
    await this.#storage.transaction(async (tx) => {
      for (const lease of held) await tx.extendLease(lease, this.#options.holder, until);
    }, GUARDED);
  }

  /** Lets all go that is still held, for the others to go on at once. Before the storage is closed. */
  async close(): Promise<void> {
    for (const lease of [...this.#held]) await this.#release(lease);
  }

  async #take(lease: Lease): Promise<boolean> {
    const { holder } = this.#options;
    const now = this.#clock.now();
    const until = addSeconds(now, LEASE_SECONDS);
    const taken = await this.#storage.transaction((tx) => tx.takeLease(lease, holder, now, until), GUARDED);
    if (!taken) return false;
    this.#held.add(lease);
    this.#timer ??= setInterval(() => {
      this.extend().catch((error) => this.#options.onError(error));
    }, EXTEND_EVERY_MS).unref();
    return true;
  }

  /** A failure is no matter: its time passes. */
  async #release(lease: Lease): Promise<void> {
    if (!this.#held.delete(lease)) return;
    if (this.#held.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    try {
      await this.#storage.transaction((tx) => tx.releaseLease(lease, this.#options.holder), GUARDED);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

/** Two gates that extend each what the other lost must not wait for one another. */
function byName(a: Lease, b: Lease): number {
  return `${a.queue} ${a.name}` < `${b.queue} ${b.name}` ? -1 : 1;
}
