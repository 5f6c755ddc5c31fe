import type { Instant } from '../../gate/kernel/instant.ts';

/** How often something was tried. Its name reveals neither the account nor the address. */
export interface SignInCount {
  count: number;
  /** For an account and address together: no further try before this time. */
  until: Instant;
  keptUntil: Instant;
}

export interface SignInCountReader {
  findSignInCount(name: string): Promise<SignInCount | undefined>;
}

export interface SignInCountWriter {
  saveSignInCount(name: string, count: SignInCount): Promise<void>;
  dropSignInCount(name: string): Promise<void>;
  /** Those whose names start with `prefix`. */
  dropSignInCounts(prefix: string): Promise<void>;
  deleteOldSignInCounts(now: Instant, limit: number): Promise<number>;
  /** Deletes all but the newest `keep` of those whose names start with `prefix`, at most `limit` of them. */
  trimSignInCounts(prefix: string, keep: number, limit: number): Promise<number>;
}
