/**
 * Owns how several gates that share a database divide work. A gate leases a named piece of work for half a minute at a
 * time. Another gate may lease the same piece when the first does not extend its lease in time.
 */
import type { Instant } from '../kernel/instant.ts';

export interface Lease {
  /** The kind of work, e.g. `mail`. */
  queue: string;
  /** The piece of work: a target, a project. */
  name: string;
}

export interface LeaseWriter {
  /**
   * Guard: nobody holds the lease, or `leased_until` has passed. If the database can, the call never waits for a gate
   * that is taking the lease at this moment.
   */
  takeLease(lease: Lease, by: string, now: Instant, until: Instant): Promise<boolean>;
  /** Guard: the gate still holds the lease, even an expired one that nobody else took. */
  extendLease(lease: Lease, by: string, until: Instant): Promise<boolean>;
  /** Guard: the gate still holds the lease. Other gates can take it at once. */
  releaseLease(lease: Lease, by: string): Promise<boolean>;
  /** Deletes leases that nobody has held since `before`. */
  deleteOldLeases(before: Instant, limit: number): Promise<number>;
}
