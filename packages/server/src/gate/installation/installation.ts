import type { Instant } from '../kernel/instant.ts';

/** Facts about the gate as a whole, of each of which a database holds one. What they say is their owners' matter. */
type InstallationFact =
  /** The address it was last served under. */
  | 'base_url'
  /** Which database it was when gates served it last. */
  | 'served_database'
  /** Until when that run of a gate served it, as an instant: its mark of time. */
  | `served_until/${string}`
  /** When the operator last declared it restored, or complete: what gates remember of it was before. */
  | 'declared_at'
  /** Set once a gate noticed that commits are missing: until when it still held everything, as far as is known. */
  | 'commits_lost'
  /** When the first set-up link was made, as an instant: later ones are made only when asked for. */
  | 'set_up_link_made'
  /** The key that small secrets lie under, itself encrypted. */
  | 'secrets_key'
  /** When it was last looked whether anything can be written, as an instant. */
  | 'write_tried'
  /** Set while another gate is carried over into this database, and what has arrived. */
  | 'move';

export interface InstallationReader {
  findInstallationFact(name: InstallationFact): Promise<string | undefined>;
}

export interface InstallationWriter {
  /** False when there is one already, which stays. */
  insertInstallationFact(name: InstallationFact, value: string): Promise<boolean>;
  putInstallationFact(name: InstallationFact, value: string): Promise<void>;
  /** Unless it is as great already. */
  raiseInstallationFact(name: InstallationFact, value: string): Promise<void>;
  deleteInstallationFact(name: InstallationFact): Promise<void>;
  /** Those of runs that were last heard of before then. */
  deleteMarksOfTime(before: Instant): Promise<void>;
}
