/** What a request for approval says, in the same words on both surfaces. */
import Type from 'typebox';
import { PROOF_TIERS, RISK_TIERS, SOURCE_TYPES } from '../vocabulary.ts';
import { WITHOUT_NUL } from './forms.ts';

export const Action = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$',
  description: 'Name of the protected action.',
  examples: ['payments.refund'],
});

export const Source = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: WITHOUT_NUL,
  description:
    'Name of the requester. With an agent key: that agent’s own name. One that names a registered agent is it.',
  examples: ['billing-bot'],
});

export const SourceTypeSchema = Type.Enum([...SOURCE_TYPES], { description: 'Kind of requester.' });

export const RiskTierSchema = Type.Enum([...RISK_TIERS], {
  description: 'Asked for in requests; the tier in force in answers. Tiers only rise.',
});

export const ProofTierSchema = Type.Enum([...PROOF_TIERS], {
  description: 'Proof of presence that an approval takes.',
});

export const Approvers = Type.Array(Type.String({ minLength: 1, maxLength: 254 }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description:
    'E-mail addresses of members, names of groups, or role:approver, role:admin, role:owner. They narrow whom policy asks, and never replace or add anybody. Names that are unknown, that policy does not ask, or that stand for too few people are refused: 422 approver_not_found.',
  examples: [['role:approver']],
});

export const MinApprovals = Type.Integer({
  minimum: 1,
  maximum: 20,
  description: 'How many different people must approve. Policy may ask for more.',
});

export const ExpiresIn = Type.Integer({
  minimum: 1,
  maximum: 2_592_000,
  description: 'Lifetime of the intent in seconds; 3600 unless policy says otherwise.',
});

/** What a request for approval may say on both surfaces, in the same words. */
export const REQUEST_PROPERTIES = {
  source: Type.Optional(Source),
  risk_tier: Type.Optional(RiskTierSchema),
  proof_tier: Type.Optional(ProofTierSchema),
  approvers: Type.Optional(Approvers),
  min_approvals: Type.Optional(MinApprovals),
  expires_in: Type.Optional(ExpiresIn),
};
