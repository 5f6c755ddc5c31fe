/**
 * Owns the second person: in a live project that asks for it, a change of the policy is proposed by one person and put
 * in force by the approval of another. Nothing here is in force before that.
 */
import type { JsonObject } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

export const PROPOSAL_STATUSES = ['pending', 'approved', 'rejected', 'withdrawn'] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

/**
 * `policy`: another document. `second_person_off`: changes of the policy shall take one person from then on. `agent`:
 * what rules rest on of an agent (its name, labels, risk tier, fingerprint or owner).
 */
export type ProposedChange = 'policy' | 'second_person_off' | 'agent';

/** A person, and the address they were known by then. */
export interface ProposalParty {
  id: string;
  /** Their id once the address was erased. */
  display: string;
}

export interface PolicyProposal {
  /** `prp_…`. */
  id: string;
  projectId: string;
  change: ProposedChange;
  /** "sha256:…" over the canonical document; null for `second_person_off`. */
  hash: string | null;
  /** A policy, or an `AgentChange`. Null also once it was erased. */
  document: JsonObject | null;
  /** The policy in force that the change was made from. */
  basedOn: { version: number; hash: string };
  comment: string | null;
  proposedBy: ProposalParty;
  createdAt: Instant;
  status: ProposalStatus;
  /** Who approved, rejected or withdrew it. */
  resolvedBy: ProposalParty | null;
  resolvedAt: Instant | null;
  reason: string | null;
  /** The version it became. */
  version: number | null;
}

/** All that is needed to say whom it waits for; documents are long. */
export type WaitingProposal = Pick<
  PolicyProposal,
  'id' | 'projectId' | 'change' | 'basedOn' | 'proposedBy' | 'createdAt' | 'status'
>;

export interface ProposalResolution {
  status: Exclude<ProposalStatus, 'pending'>;
  at: Instant;
  by: ProposalParty;
  reason: string | null;
  version: number | null;
}

export interface ProposalReader {
  findPolicyProposal(projectId: string, proposalId: string): Promise<PolicyProposal | undefined>;
  /** Newest first. */
  listPolicyProposals(
    projectId: string,
    page: { status?: ProposalStatus; beforeId?: string; limit: number },
  ): Promise<readonly PolicyProposal[]>;
  /** All that are pending, oldest first, without what they propose. */
  listWaitingProposals(projectId: string): Promise<readonly WaitingProposal[]>;
}

export interface ProposalWriter {
  insertPolicyProposal(proposal: PolicyProposal): Promise<void>;
  /** Guard: still pending. */
  resolvePolicyProposal(proposalId: string, resolution: ProposalResolution): Promise<boolean>;
  /** Guard: answers false when it was already so. */
  setPolicySecondPerson(projectId: string, required: boolean): Promise<boolean>;
}
