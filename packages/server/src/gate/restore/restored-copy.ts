import type { Instant } from '../kernel/instant.ts';

/** What only a gate that was just made out of a backup is asked for. */
export interface RestoreReader {
  countPendingIntents(projectId: string): Promise<number>;
  /** Keys and user tokens of the whole gate that were neither revoked nor have expired. */
  listKeyIdsInForce(now: Instant): Promise<readonly string[]>;
}

export interface RestoreWriter {
  /**
   * Takes back every approval of the project that was not consumed or revoked, but those whose intent's own time had
   * ended by `endedBy`; answers how many.
   */
  revokeUnusedApprovals(
    projectId: string,
    approvals: { endedBy: Instant; revokedAt: Instant },
  ): Promise<number>;
  /** The next place of the status list to be handed out; never goes back to an earlier one. */
  skipToReceiptIndex(index: number): Promise<void>;
}
