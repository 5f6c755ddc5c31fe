/**
 * Owns the two-person rule: in a live project that requires it, one person proposes a policy change, and another
 * publishes it by approving. Nothing here takes effect before that.
 */
import type { JsonObject } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

export const PROPOSAL_STATUSES = ['pending', 'approved', 'rejected', 'withdrawn'] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

/**
 * `policy`: another document. `second_person_off`: end the two-person rule. `agent`: properties of an agent that rules
 * depend on (its name, labels, risk tier, fingerprint or owner).
 */
export type ProposedChange = 'policy' | 'second_person_off' | 'agent';

/** A person, and their address at that time. */
export interface ProposalParty {
  id: string;
  /** The address. The person's id once the address is erased. */
  display: string;
}

export interface PolicyProposal {
  /** `prp_…`. */
  id: string;
  projectId: string;
  change: ProposedChange;
  /** "sha256:…" over the canonical document. Null for `second_person_off`. */
  hash: string | null;
  /** A policy, or an `AgentChange`. Null for `second_person_off`, and once erased. */
  document: JsonObject | null;
  /** The active policy that the change was made from. */
  basedOn: { version: number; hash: string };
  comment: string | null;
  proposedBy: ProposalParty;
  createdAt: Instant;
  status: ProposalStatus;
  /** The person who approved, rejected or withdrew the proposal. */
  resolvedBy: ProposalParty | null;
  resolvedAt: Instant | null;
  reason: string | null;
  /** The policy version that the proposal became. */
  version: number | null;
}

/** The members that show whose approval a proposal waits for. Omits the documents, which are long. */
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
  /** All pending proposals, oldest first, without their documents. */
  listWaitingProposals(projectId: string): Promise<readonly WaitingProposal[]>;
}

export interface ProposalWriter {
  insertPolicyProposal(proposal: PolicyProposal): Promise<void>;
  /** Guard: still pending. */
  resolvePolicyProposal(proposalId: string, resolution: ProposalResolution): Promise<boolean>;
  /** Guard: returns false when the setting already had this value. */
  setPolicySecondPerson(projectId: string, required: boolean): Promise<boolean>;
}
