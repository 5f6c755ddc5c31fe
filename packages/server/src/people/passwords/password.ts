import type { Instant } from '../../gate/kernel/instant.ts';

/** A person's password as it is stored. */
interface Password {
  userId: string;
  /** argon2id in the PHC format, with its parameters and its salt. */
  hash: string;
  changedAt: Instant;
}

/** The work of passwords, done beside the event loop, a few at a time. */
export interface PasswordHasher {
  /** Rejects with `service_unavailable` when too many wait already. */
  hash(password: string): Promise<string>;
  /**
   * Whether the password is the one of the hash; with `null` (nobody's) false after the same work. Rejects as `hash`.
   */
  verify(hash: string | null, password: string): Promise<boolean>;
  /** Whether the hash was made with other parameters than new ones are. */
  isOutdated(hash: string): boolean;
  /** How often either was run: what tells two answers apart must not. */
  readonly runs: number;
}

export interface PasswordReader {
  findPassword(userId: string): Promise<Password | undefined>;
}

export interface PasswordWriter {
  /** Inserts or replaces. */
  savePassword(password: Password): Promise<void>;
  /** The same password under new parameters; guard: it still has the hash `from`. */
  rehashPassword(userId: string, from: string, to: string): Promise<boolean>;
}
