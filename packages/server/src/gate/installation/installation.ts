import type { Instant } from '../kernel/instant.ts';

/** Facts about the gate as a whole. A database holds each of them at most once. Their owners define the values. */
type InstallationFact =
  /** The address that the gate was last served under. */
  | 'base_url'
  /** The identity of the database that gates last served. */
  | 'served_database'
  /** Until when that run of a gate served the database, as an instant. Called the run's mark of time. */
  | `served_until/${string}`
  /**
   * When the operator last declared the database restored, or complete, as an instant. Everything that gates remember
   * about the database is older.
   */
  | 'declared_at'
  /**
   * Set once a gate noticed that commits are missing. The instant until which the database was complete, as far as is
   * known.
   */
  | 'commits_lost'
  /** When the gate made the first set-up link, as an instant. It makes later links only on request. */
  | 'set_up_link_made'
  /** The key that encrypts small secrets, itself encrypted. */
  | 'secrets_key'
  /** When the gate last tried to write anything, as an instant. */
  | 'write_tried'
  /** Set while another gate's data is copied into this database: what has arrived so far. */
  | 'move';

export interface InstallationReader {
  findInstallationFact(name: InstallationFact): Promise<string | undefined>;
}

export interface InstallationWriter {
  /** Returns false, and keeps the existing value, when the fact is already set. */
  insertInstallationFact(name: InstallationFact, value: string): Promise<boolean>;
  putInstallationFact(name: InstallationFact, value: string): Promise<void>;
  /** Sets the fact unless its value is already as great. */
  raiseInstallationFact(name: InstallationFact, value: string): Promise<void>;
  deleteInstallationFact(name: InstallationFact): Promise<void>;
  /** Deletes the marks of time of runs that last wrote one before then. */
  deleteMarksOfTime(before: Instant): Promise<void>;
}
