import type { Instant } from '../../gate/kernel/instant.ts';

/** A person's password as stored. */
interface Password {
  userId: string;
  /** argon2id in the PHC format, with its parameters and salt. */
  hash: string;
  changedAt: Instant;
}

/** Hashes and verifies passwords beside the event loop, a few at a time. */
export interface PasswordHasher {
  /** Rejects with `service_unavailable` when too many callers already wait. */
  hash(password: string): Promise<string>;
  /**
   * Whether the password matches the hash. For `null` (no password is stored), returns false after the same work.
   * Rejects as `hash` does.
   */
  verify(hash: string | null, password: string): Promise<boolean>;
  /** Whether the hash uses other parameters than new hashes do. */
  isOutdated(hash: string): boolean;
  /** How often `hash` and `verify` ran. Answers that must look the same must take the same number of runs. */
  readonly runs: number;
}

export interface PasswordReader {
  findPassword(userId: string): Promise<Password | undefined>;
}

export interface PasswordWriter {
  /** Inserts or replaces. */
  savePassword(password: Password): Promise<void>;
  /** Stores the same password under new parameters. Guard: the stored hash is still `from`. */
  rehashPassword(userId: string, from: string, to: string): Promise<boolean>;
}
