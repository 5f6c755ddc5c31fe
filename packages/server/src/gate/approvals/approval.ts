import type { ApprovalMethod } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { ProofEvidence } from '../proof/proof-session.ts';

/** One person's vote on one intent. */
export interface Approval {
  intentId: string;
  userId: string;
  /** Email address. */
  by: string;
  decision: 'approve' | 'deny';
  at: Instant;
  method: ApprovalMethod;
  credentialId: string;
  /** What the person's passkey or device key signed, if the method is one of these. */
  evidence: ProofEvidence | null;
}

export interface ApprovalReader {
  /** In the order in which they were given. */
  listApprovals(intentId: string): Promise<readonly Approval[]>;
}

export interface ApprovalWriter {
  /** One row per person and intent. A later vote of the same person replaces the earlier one. */
  saveApproval(approval: Approval): Promise<void>;
}
