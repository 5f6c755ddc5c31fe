/** What the gate answers about policies. */
import type {
  PolicyCheckSchema,
  PolicyExplanationSchema,
  PolicyProposalSchema,
  PolicySchema,
  SecondPersonSchema,
  ShadowDivergencesSchema,
  ShadowPolicySchema,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';

export type Policy = Static<typeof PolicySchema>;
export type PolicyCheck = Static<typeof PolicyCheckSchema>;
export type PolicyExplanation = Static<typeof PolicyExplanationSchema>;
export type PolicyProposal = Static<typeof PolicyProposalSchema>;
export type SecondPerson = Static<typeof SecondPersonSchema>;
export type ShadowPolicy = Static<typeof ShadowPolicySchema>;
export type ShadowDivergences = Static<typeof ShadowDivergencesSchema>;
