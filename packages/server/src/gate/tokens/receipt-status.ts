import type { AgentStatus } from '../access/agent-identity.ts';

/** An agent whose receipts are not worth what they were. */
export interface InactiveAgent {
  id: string;
  status: Exclude<AgentStatus, 'active'>;
}

/** What the status lists are made of. Ranges of receipt numbers hold `from` and do not hold `to`. */
export interface ReceiptStatusReader {
  /** Grows with every change that may show in a status list. */
  findReceiptStatusRevision(): Promise<number>;
  /** How many numbers were handed out or skipped. */
  countReceiptIndexes(): Promise<number>;
  /** Whether any receipt was issued in the range. */
  hasReceipts(from: number, to: number): Promise<boolean>;
  /** Numbers of the range that an issued receipt has. */
  listReceiptIndexes(from: number, to: number): Promise<readonly number[]>;
  /** Receipts whose approval was taken back. */
  listRevokedReceipts(from: number, to: number): Promise<readonly number[]>;
  /** Receipts with a signature of this key. Reads each receipt of the range. */
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
  /** Every writer of what the status lists show calls it in the transaction of the change. */
  bumpReceiptStatusRevision(): Promise<void>;
  /** Takes the next `count` places of the status list, for this caller alone; answers the first. From 0. */
  reserveReceiptIndexes(count: number): Promise<number>;
}
