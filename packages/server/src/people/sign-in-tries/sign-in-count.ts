import type { Instant } from '../../gate/kernel/instant.ts';

/** How often something was tried, under a name that tells nobody who or where from. */
export interface SignInCount {
  count: number;
  /** Of an account from an address: until then nothing more is tried. */
  until: Instant;
  keptUntil: Instant;
}

export interface SignInCountReader {
  findSignInCount(name: string): Promise<SignInCount | undefined>;
}

export interface SignInCountWriter {
  saveSignInCount(name: string, count: SignInCount): Promise<void>;
  dropSignInCount(name: string): Promise<void>;
  /** Those whose names begin so. */
  dropSignInCounts(prefix: string): Promise<void>;
  deleteOldSignInCounts(now: Instant, limit: number): Promise<number>;
  /** All but the newest `keep` of those whose names begin with `prefix`, at most `limit` of them. */
  trimSignInCounts(prefix: string, keep: number, limit: number): Promise<number>;
}
