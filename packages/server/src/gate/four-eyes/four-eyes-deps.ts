import type { ChangeDeps } from '../projects/change-deps.ts';
import type { ProposalReader, ProposalWriter } from './policy-proposal.ts';

/** What proposals take. */
export type FourEyesDeps = ChangeDeps<ProposalReader, ProposalWriter>;
