/** The gate's responses about policies. */
import type { Wire } from '../../../api/wire.ts';

export type Policy = Wire<'PolicySchema'>;
export type PolicyCheck = Wire<'PolicyCheckSchema'>;
export type PolicyExplanation = Wire<'PolicyExplanationSchema'>;
export type PolicyProposal = Wire<'PolicyProposalSchema'>;
export type SecondPerson = Wire<'SecondPersonSchema'>;
export type ShadowPolicy = Wire<'ShadowPolicySchema'>;
export type ShadowDivergences = Wire<'ShadowDivergencesSchema'>;
