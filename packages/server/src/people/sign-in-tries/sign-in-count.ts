import type { Instant } from '../../gate/kernel/instant.ts';

/** How often something was tried. The name of a count reveals neither the account nor the address. */
export interface SignInCount {
  count: number;
  /** For a count of an account and address together: no further try before this time. */
  until: Instant;
  keptUntil: Instant;
}

export interface SignInCountReader {
  findSignInCount(name: string): Promise<SignInCount | undefined>;
}

export interface SignInCountWriter {
  saveSignInCount(name: string, count: SignInCount): Promise<void>;
  dropSignInCount(name: string): Promise<void>;
  /** Deletes the counts whose names start with `prefix`. */
  dropSignInCounts(prefix: string): Promise<void>;
  deleteOldSignInCounts(now: Instant, limit: number): Promise<number>;
  /** Of the counts whose names start with `prefix`, keeps the newest `keep` and deletes at most `limit` others. */
  trimSignInCounts(prefix: string, keep: number, limit: number): Promise<number>;
}
