import type { Clock } from '../kernel/clock.ts';
import { addSeconds } from '../kernel/instant.ts';
import type { Storage } from '../kernel/storage.ts';
import type { Lease, LeaseWriter } from './lease.ts';

/** The longest time until another gate takes over from a dead one. */
const LEASE_SECONDS = 30;
const EXTEND_EVERY_MS = 10_000;
const GUARDED = { guarded: true };

export interface LeasesOptions {
  /** Identifies this process among all processes that ever existed. */
  holder: string;
  onError: (error: unknown) => void;
}

/**
 * The leases of this gate. A gate takes a lease before it works on a piece of a queue, extends the lease during the
 * work and releases it afterwards:
 *
 *     const done = await gate.leases.hold({ queue: 'mail', name: target }, () => deliverTo(target))
 *
 * A lease says who works, never what is true. A gate that was suspended for a minute continues as if nothing had
 * happened, while another gate has its lease. So a guard on the state of the work itself protects every write (`where
 * state = 'waiting'`), and what leaves the gate may leave twice.
 *
 * In some queues, order and pace belong to a target, which is then a lane with one lease. Take the lease of the lane
 * first, read its due pieces, and finish each piece by a guarded statement. A plain read of due pieces finds the lanes.
 * A gate skips a lane that another gate works on.
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
   * Runs the work while this gate holds the lease, and releases it however the work ends.
   *
   * @returns The result of the work. Undefined, without running it, when another gate or this one already holds the
   * lease.
   */
  async hold<T>(lease: Lease, work: () => Promise<T>): Promise<{ done: T } | undefined> {
    if (!(await this.#take(lease))) return undefined;
    try {
      return { done: await work() };
    } finally {
      await this.#release(lease);
    }
  }

  /** Extends the leases of all current work. A timer calls it; tests call it themselves. */
  async extend(): Promise<void> {
    const held = [...this.#held].sort(byName);
    if (held.length === 0) return;
    const until = addSeconds(this.#clock.now(), LEASE_SECONDS);
    await this.#storage.transaction(async (tx) => {
      for (const lease of held) await tx.extendLease(lease, this.#options.holder, until);
    }, GUARDED);
  }

  /** Releases every held lease, so that others can continue at once. Call it before the storage is closed. */
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

  /** A failure does not matter, because the lease expires. */
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

/** Sorted, so that two gates do not deadlock when each extends leases that the other has taken. */
function byName(a: Lease, b: Lease): number {
  return `${a.queue} ${a.name}` < `${b.queue} ${b.name}` ? -1 : 1;
}
