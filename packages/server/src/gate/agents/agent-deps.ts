import type { ProposalReader, ProposalWriter } from '../four-eyes/policy-proposal.ts';
import type { ChangeDeps } from '../projects/change-deps.ts';
import type { ReceiptStatusWriter } from '../tokens/receipt-status.ts';
import type { AgentReader, AgentWriter } from './agent.ts';

/** Dependencies of the operations on agents. */
export type AgentDeps = ChangeDeps<
  AgentReader & ProposalReader,
  AgentWriter & ProposalWriter & ReceiptStatusWriter
>;
