/**
 * Owns how several gates that share a database divide work. A gate leases a named piece of work for half a minute at a
 * time. Another gate may take it when the first does not extend its lease in time.
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
   * Guard: nobody holds it, or the holder let `leased_until` pass. If the database can, it never waits for a gate that
   * is taking the lease at this moment.
   */
  takeLease(lease: Lease, by: string, now: Instant, until: Instant): Promise<boolean>;
  /** Guard: the gate still holds it, even after its expiry, because nobody else took it. */
  extendLease(lease: Lease, by: string, until: Instant): Promise<boolean>;
  /** Guard: the gate still holds it. Others can take it at once. */
  releaseLease(lease: Lease, by: string): Promise<boolean>;
  /** Deletes leases that nobody has held since. */
  deleteOldLeases(before: Instant, limit: number): Promise<number>;
}
