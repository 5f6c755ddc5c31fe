/** Bodies and answers of checking, explaining and proposing policies (`/v1/projects/:id/policies/…`). */
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
        { description: 'Where in the expression at `path`, when it stands in one.' },
      ),
    ),
  },
  { title: 'Policy finding' },
);

export const PolicyCheckSchema = StrictObject(
  {
    valid: Type.Boolean({ description: 'Whether it could be put in force now.' }),
    hash: Nullable(Hash),
    problems: Type.Array(FINDING, { description: 'What it would be refused for.' }),
    warnings: Type.Array(FINDING, { description: 'What is accepted and yet deserves a second look.' }),
  },
  { title: 'Policy check' },
);

export const ExplainPolicy = StrictObject(
  {
    policy: Type.Optional(
      Type.Unsafe<Record<string, never>>({
        type: 'object',
        description: 'A policy document. Left out: the policy in force.',
      }),
    ),
    intent: Type.Optional(SimulatedIntent),
    intent_id: Type.Optional(
      Type.String({ maxLength: 64, description: 'A stored intent, as of when it was made.' }),
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
        '`failed`: its condition could not be evaluated; that counts for everything but permission.',
    }),
    because: Nullable(
      Type.Enum(['action', 'risk_tier', 'source_type', 'source', 'condition'], {
        description: 'What did not match.',
      }),
    ),
    failure: Nullable(Type.String({ description: 'Why the condition failed.' })),
    part: Type.Enum(['decides', 'adds', 'outweighed', 'nothing'], {
      description:
        'What came of it: the outcome is its; it says the same and its people and terms count as well; something stricter weighs more; it does not count.',
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
      { title: 'What the policy was asked', description: 'Tiers are raised to those of the agent already.' },
    ),
    outcome: POLICY_OUTCOME,
    rules: Type.Array(RULE_EXPLANATION, { description: 'Every rule, in the order of the document.' }),
    person_for: Nullable(
      Type.Enum(['proof_tier', 'approvers'], {
        description: 'Why a person is asked although a rule allows and none asks.',
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
        description: 'Why, for whoever approves; erasable.',
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
  display: Type.String({ description: 'E-mail address; the id once it was erased.' }),
});

const PROPOSAL = {
  id: Id('prp', 'Proposal.'),
  change: Type.Enum(['policy', 'second_person_off', 'agent'], {
    description:
      'Another policy; that one person is enough for changes of the policy; or what policy rules rest on of an agent.',
  }),
  status: Type.Enum(['pending', 'approved', 'rejected', 'withdrawn']),
  hash: Nullable(Hash),
  policy: Nullable(FreeObject),
  agent: Nullable(
    StrictObject(
      {
        id: Type.String(),
        name: Type.String({ description: 'Its name when this was proposed.' }),
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
        'The policy in force that the change was made from; with another one in force it cannot be approved.',
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
        description: 'What waits for a second person.',
      }),
    ),
  },
  { title: 'Second-person setting' },
);
