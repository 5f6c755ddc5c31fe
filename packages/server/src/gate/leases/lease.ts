/**
 * Owns who works on what when several gates share a database: a named piece of work is one gate's for half a minute at a
 * time, and another's when that one does not say in time that it still works on it.
 */
import type { Instant } from '../kernel/instant.ts';

export interface Lease {
  /** What kind of work it is, e.g. `mail`. */
  queue: string;
  /** Which piece of it: a target, a project. */
  name: string;
}

export interface LeaseWriter {
  /**
   * Guard: nobody has it, or whoever had it let `leased_until` pass. Never waits for a gate that takes it at this very
   * moment where the database can do that.
   */
  takeLease(lease: Lease, by: string, now: Instant, until: Instant): Promise<boolean>;
  /** Guard: it is still theirs, even if its time was over: nobody else took it. */
  extendLease(lease: Lease, by: string, until: Instant): Promise<boolean>;
  /** Guard: it is still theirs. It can be taken at once. */
  releaseLease(lease: Lease, by: string): Promise<boolean>;
  /** Those that nobody has had since. */
  deleteOldLeases(before: Instant, limit: number): Promise<number>;
}
