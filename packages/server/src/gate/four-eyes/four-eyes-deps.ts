import type { ChangeDeps } from '../projects/change-deps.ts';
import type { ProposalReader, ProposalWriter } from './policy-proposal.ts';

/** Dependencies of the operations on proposals. */
export type FourEyesDeps = ChangeDeps<ProposalReader, ProposalWriter>;
