import type { Instant } from '../kernel/instant.ts';

/** Queries that a gate needs only after it was restored from a backup. */
export interface RestoreReader {
  countPendingIntents(projectId: string): Promise<number>;
  /** Ids of keys and user tokens of the whole gate that are neither revoked nor expired. */
  listKeyIdsInForce(now: Instant): Promise<readonly string[]>;
}

export interface RestoreWriter {
  /**
   * Revokes every approval of the project that was not consumed or revoked, unless its intent had expired by `endedBy`.
   * Returns how many.
   */
  revokeUnusedApprovals(
    projectId: string,
    approvals: { endedBy: Instant; revokedAt: Instant },
  ): Promise<number>;
  /** Sets the next index of the status list to give out. Never goes back to an earlier index. */
  skipToReceiptIndex(index: number): Promise<void>;
}
