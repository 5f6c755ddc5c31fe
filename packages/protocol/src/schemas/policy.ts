/** Bodies and answers of the paths that check, explain and propose policies (`/v1/projects/:id/policies/…`). */
import Type from 'typebox';
import { RISK_TIERS, SOURCE_TYPES } from '../vocabulary.ts';
import { Reason } from './decision.ts';
import { FreeObject, Hash, Id, Nullable, StrictObject, Timestamp, WITHOUT_NUL } from './forms.ts';
import { ProofTierSchema } from './request.ts';
import { POLICY_OUTCOME, SimulatedIntent } from './simulation.ts';

const Document = Type.Unsafe<Record<string, never>>({ type: 'object', description: 'Policy document.' });

export const CheckPolicy = StrictObject({ policy: Document }, { title: 'Policy to check' });

const FINDING = StrictObject(
  {
    path: Type.String({ description: 'JSON Pointer into the document.' }),
    message: Type.String(),
    place: Nullable(
      StrictObject(
        { line: Type.Integer({ minimum: 1 }), column: Type.Integer({ minimum: 1 }) },
        { description: 'Position in the expression at `path`, when the problem is inside one.' },
      ),
    ),
  },
  { title: 'Policy finding' },
);

export const PolicyCheckSchema = StrictObject(
  {
    valid: Type.Boolean({ description: 'Whether it could be published now.' }),
    hash: Nullable(Hash),
    problems: Type.Array(FINDING, { description: 'Problems for which it would be refused.' }),
    warnings: Type.Array(FINDING, { description: 'Accepted, but worth a second look.' }),
  },
  { title: 'Policy check' },
);

export const ExplainPolicy = StrictObject(
  {
    policy: Type.Optional(
      Type.Unsafe<Record<string, never>>({
        type: 'object',
        description: 'A policy document. Default: the active policy.',
      }),
    ),
    intent: Type.Optional(SimulatedIntent),
    intent_id: Type.Optional(
      Type.String({ maxLength: 64, description: 'A stored intent, as it was when it was created.' }),
    ),
  },
  {
    title: 'Policy question',
    description: 'Exactly one of `intent` and `intent_id`.',
    examples: [{ intent: { action: 'payments.refund', params: { amount: 120 } } }],
  },
);

const RULE_EXPLANATION = StrictObject(
  {
    rule: Type.String(),
    effect: Type.Enum(['allow', 'require_approval', 'deny']),
    verdict: Type.Enum(['matched', 'failed', 'not_matched'], {
      description:
        '`failed`: its condition could not be evaluated. It then counts for everything except allowing.',
    }),
    because: Nullable(
      Type.Enum(['action', 'risk_tier', 'source_type', 'source', 'condition'], {
        description: 'What did not match.',
      }),
    ),
    failure: Nullable(Type.String({ description: 'Why the condition failed.' })),
    part: Type.Enum(['decides', 'adds', 'outweighed', 'nothing'], {
      description:
        'How the rule counted. decides: the outcome comes from it. adds: it has the same effect, and its approvals and limits count as well. outweighed: a stricter rule overrides it. nothing: it does not count.',
    }),
  },
  { title: 'Rule explanation' },
);

export const PolicyExplanationSchema = StrictObject(
  {
    policy_hash: Hash,
    request: StrictObject(
      {
        action: Type.String(),
        params: FreeObject,
        metadata: FreeObject,
        source: Nullable(Type.String()),
        source_type: Type.Enum([...SOURCE_TYPES]),
        risk_tier: Type.Enum([...RISK_TIERS]),
        proof_tier: ProofTierSchema,
        agent: Nullable(StrictObject({ id: Type.String(), name: Type.String() })),
        at: Timestamp,
      },
      { title: 'The input of the policy', description: 'Tiers are already raised to those of the agent.' },
    ),
    outcome: POLICY_OUTCOME,
    rules: Type.Array(RULE_EXPLANATION, { description: 'Every rule, in the order of the document.' }),
    person_for: Nullable(
      Type.Enum(['proof_tier', 'approvers'], {
        description: 'Why review is required although a rule allows and none requires approval.',
      }),
    ),
  },
  { title: 'Policy explanation' },
);

export const ProposePolicy = StrictObject(
  {
    policy: Document,
    comment: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        pattern: WITHOUT_NUL,
        description: 'The reason, for the approver. Can be erased.',
      }),
    ),
  },
  { title: 'Policy proposal request' },
);

export const RejectProposal = StrictObject(
  { reason: Type.Optional(Reason) },
  { title: 'Rejection of a policy proposal' },
);

const PARTY = StrictObject({
  id: Type.String(),
  display: Type.String({ description: 'Email address. The ID after an erasure.' }),
});

const PROPOSAL = {
  id: Id('prp', 'Proposal.'),
  change: Type.Enum(['policy', 'second_person_off', 'agent'], {
    description:
      'Another policy, the end of the two-person rule, or a property of an agent that policy rules depend on.',
  }),
  status: Type.Enum(['pending', 'approved', 'rejected', 'withdrawn']),
  hash: Nullable(Hash),
  policy: Nullable(FreeObject),
  agent: Nullable(
    StrictObject(
      {
        id: Type.String(),
        name: Type.String({ description: 'The agent’s name when the change was proposed.' }),
        before: FreeObject,
        after: FreeObject,
      },
      { description: 'The change of an agent: only the members that change.' },
    ),
  ),
  based_on: StrictObject(
    { version: Type.Integer(), hash: Hash },
    {
      description:
        'The active policy that the change was made from. If another one is active, the change cannot be approved.',
    },
  ),
  comment: Nullable(Type.String()),
  proposed_by: PARTY,
  created_at: Timestamp,
  resolved_by: Nullable(PARTY),
  resolved_at: Nullable(Timestamp),
  reason: Nullable(Type.String()),
  version: Nullable(Type.Integer({ description: 'The version it became.' })),
};

export const PolicyProposalSchema = StrictObject(
  {
    ...PROPOSAL,
    warnings: Type.Optional(Type.Array(StrictObject({ path: Type.String(), message: Type.String() }))),
  },
  { title: 'Policy proposal' },
);

export const RequireSecondPerson = StrictObject(
  { required: Type.Boolean() },
  { title: 'Second-person request' },
);

export const SecondPersonSchema = StrictObject(
  {
    required: Type.Boolean({ description: 'As it is now.' }),
    proposal: Nullable(
      Type.Unsafe<Type.Static<typeof PolicyProposalSchema>>({
        ...PolicyProposalSchema,
        title: 'Proposal to end it',
        description: 'Changes that need another person’s approval.',
      }),
    ),
  },
  { title: 'Second-person setting' },
);
