import type { AgentStatus } from '../access/agent-identity.ts';

/** An agent whose receipts are suspended or revoked. */
export interface InactiveAgent {
  id: string;
  status: Exclude<AgentStatus, 'active'>;
}

/** The source of the status lists. Ranges of receipt numbers include `from` and exclude `to`. */
export interface ReceiptStatusReader {
  /** Grows with every change that a status list may show. */
  findReceiptStatusRevision(): Promise<number>;
  /** The number of indexes that were given out or skipped. */
  countReceiptIndexes(): Promise<number>;
  /** Whether any receipt was issued in the range. */
  hasReceipts(from: number, to: number): Promise<boolean>;
  /** The indexes in the range that belong to an issued receipt. */
  listReceiptIndexes(from: number, to: number): Promise<readonly number[]>;
  /** Receipts whose approval was revoked. */
  listRevokedReceipts(from: number, to: number): Promise<readonly number[]>;
  /** Receipts with a signature by this key. Reads each receipt of the range. */
  listReceiptsSignedBy(kid: string, from: number, to: number): Promise<readonly number[]>;
  /** Agents that are paused or revoked. */
  listInactiveAgents(): Promise<readonly InactiveAgent[]>;
  /** Receipts of agents that are paused or revoked, each with its agent. */
  listReceiptsOfInactiveAgents(
    from: number,
    to: number,
  ): Promise<readonly { receiptIndex: number; agentId: string }[]>;
}

export interface ReceiptStatusWriter {
  /** Every writer of data that the status lists show must call it in the transaction of the change. */
  bumpReceiptStatusRevision(): Promise<void>;
  /**
   * Reserves the next `count` places of the status lists for this caller alone. Returns the first place, counted from
   * 0.
   */
  reserveReceiptIndexes(count: number): Promise<number>;
}
