/** The content of a request for approval, in the same words on both surfaces. */
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
    'Name of the requester. With an agent key: that agent’s own name. The name of a registered agent means that agent.',
  examples: ['billing-bot'],
});

export const SourceTypeSchema = Type.Enum([...SOURCE_TYPES], { description: 'Kind of requester.' });

export const RiskTierSchema = Type.Enum([...RISK_TIERS], {
  description: 'In a request: the tier asked for. In an answer: the effective tier. Tiers only rise.',
});

export const ProofTierSchema = Type.Enum([...PROOF_TIERS], {
  description: 'Proof of presence that an approval requires.',
});

export const Approvers = Type.Array(Type.String({ minLength: 1, maxLength: 254 }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description:
    'Email addresses of members, names of groups, or role:approver, role:admin, role:owner. They narrow the approvers that policy asks for, and never replace them or add any. Refused with 422 approver_not_found: unknown names, names that policy does not ask for, and names of too few people.',
  examples: [['role:approver']],
});

export const MinApprovals = Type.Integer({
  minimum: 1,
  maximum: 20,
  description: 'How many different people must approve. Policy may require more.',
});

export const ExpiresIn = Type.Integer({
  minimum: 1,
  maximum: 2_592_000,
  description: 'Lifetime of the intent in seconds. Default 3600, unless policy sets another.',
});

/** Properties of a request for approval, in the same words on both surfaces. */
export const REQUEST_PROPERTIES = {
  source: Type.Optional(Source),
  risk_tier: Type.Optional(RiskTierSchema),
  proof_tier: Type.Optional(ProofTierSchema),
  approvers: Type.Optional(Approvers),
  min_approvals: Type.Optional(MinApprovals),
  expires_in: Type.Optional(ExpiresIn),
};
