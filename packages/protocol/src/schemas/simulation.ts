/** Bodies and answers of policy simulation and of shadow policies (`/v1/projects/:id/policies/…`). */
import Type from 'typebox';
import { INTENT_STATUSES } from '../vocabulary.ts';
import { FreeObject, Hash, Id, Nullable, StrictObject, Timestamp } from './forms.ts';
import { Action, ProofTierSchema, REQUEST_PROPERTIES, RiskTierSchema, SourceTypeSchema } from './request.ts';

const { expires_in: _lifetime, ...ASKED } = REQUEST_PROPERTIES;

export const SimulatedIntent = StrictObject(
  {
    action: Action,
    params: Type.Optional(FreeObject),
    metadata: Type.Optional(FreeObject),
    source_type: Type.Optional(SourceTypeSchema),
    ...ASKED,
    agent_id: Type.Optional(
      Id(
        'agt',
        'The agent whose own key sends the request. Omitted: a secret key sends it, and no agent is proven.',
      ),
    ),
    at: Type.Optional(
      Type.String({ maxLength: 40, description: 'When the request is sent, in ISO 8601. Default: now.' }),
    ),
  },
  { title: 'Simulated intent' },
);

const PastIntents = StrictObject(
  {
    from: Type.Optional(
      Type.String({ maxLength: 40, description: 'Created at this time or later, in ISO 8601.' }),
    ),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'Created before this time, in ISO 8601.' })),
    action: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1000, description: 'A pattern, as in match.action of a rule.' }),
    ),
    status: Type.Optional(Type.Enum([...INTENT_STATUSES, 'resolved'])),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'At most this many of the newest matches.',
      }),
    ),
  },
  { title: 'Stored intents', description: 'An omitted member matches everything; {} matches every intent.' },
);

export const SimulatePolicy = StrictObject(
  {
    policy: Type.Optional(
      Type.Unsafe<Record<string, never>>({
        type: 'object',
        description: 'The draft: a policy document. Default: the active policy.',
      }),
    ),
    intents: Type.Optional(
      Type.Array(SimulatedIntent, { minItems: 1, maxItems: 1000, description: 'Intents to simulate.' }),
    ),
    stored: Type.Optional(PastIntents),
  },
  {
    title: 'Policy simulation',
    description: 'Exactly one of `intents` and `stored`.',
    examples: [{ stored: { from: '2026-11-01', action: 'payments.*' } }],
  },
);

const EFFECT = Type.Enum(['allow', 'require_approval', 'deny']);
const SAID = StrictObject({
  effect: EFFECT,
  rule: Nullable(Type.String({ description: 'The rule that decides. Null: the default.' })),
});
const TERMS = Type.Array(Type.Enum(['requirement', 'risk_tier', 'proof_tier', 'expires_in', 'permit_ttl']), {
  description: 'What changes under the same effect. Empty when the effect changes.',
});
const DIRECTION = Type.Enum(['stricter', 'looser', 'mixed']);
const COUNT = Type.Integer({ minimum: 0 });
const BY_EFFECT = StrictObject({ allow: COUNT, require_approval: COUNT, deny: COUNT });
const SAMPLES = Type.Array(Type.String(), {
  description: 'At most ten: IDs of stored intents, or pointers to given ones, e.g. /intents/3.',
});

const DIFFERENCES = StrictObject(
  {
    changed: COUNT,
    stricter: COUNT,
    looser: COUNT,
    mixed: COUNT,
    groups: Type.Array(
      StrictObject(
        { from: SAID, to: SAID, direction: DIRECTION, terms: TERMS, count: COUNT, samples: SAMPLES },
        {
          title: 'Difference',
          description: 'All intents with the same changes between the same two rules.',
        },
      ),
      { description: 'Most frequent first, at most 500.' },
    ),
    ungrouped: Type.Integer({ minimum: 0, description: 'Changes beyond the 500 groups.' }),
  },
  { title: 'Differences' },
);

const FINDINGS = Type.Array(StrictObject({ path: Type.String(), message: Type.String() }));
const POLICIES = {
  in_force: StrictObject({ version: Type.Integer(), hash: Hash }),
  draft: StrictObject({ hash: Hash }),
};

const SUMMARY = {
  ...POLICIES,
  warnings: Type.Array(FINDINGS.items, {
    description: 'Warnings that publishing the draft would cause, or why it would be refused.',
  }),
  complete: Type.Boolean({
    description: 'False: the time limit ended it early, and the figures cover only what was done.',
  }),
  scanned: Type.Integer({ minimum: 0, description: 'Intents examined.' }),
  evaluated: Type.Integer({ minimum: 0, description: 'Of these, those that both policies evaluated.' }),
  skipped: Type.Integer({
    minimum: 0,
    description: 'Intents that passed the filter but whose texts were erased. No policy evaluates them.',
  }),
  outcomes: StrictObject({ in_force: BY_EFFECT, draft: BY_EFFECT }),
  changes: DIFFERENCES,
  failures: Type.Array(
    StrictObject({
      policy: Type.Enum(['in_force', 'draft']),
      rule: Type.String(),
      message: Type.String(),
      count: COUNT,
      samples: SAMPLES,
    }),
    { description: 'Conditions that could not be evaluated, by rule. They never count towards allowing.' },
  ),
  seconds: Type.Number(),
};

export const POLICY_OUTCOME = StrictObject(
  {
    effect: EFFECT,
    rule: Nullable(Type.String()),
    reason: Nullable(Type.String()),
    requirement: Type.Array(
      StrictObject({
        from: Type.Array(Type.String()),
        count: COUNT,
        programs: Type.Optional(Type.Boolean()),
        or_named: Type.Optional(Type.Array(Type.String())),
      }),
      {
        description:
          'The policy’s own requirement. The request’s approvers narrow it, and min_approvals adds to it.',
      },
    ),
    risk_tier: RiskTierSchema,
    proof_tier: ProofTierSchema,
    expires_in: Nullable(Type.Integer()),
    permit_ttl: Nullable(Type.Integer()),
    failed_conditions: Type.Array(Type.String(), { description: 'Rules whose condition failed.' }),
  },
  { title: 'Policy outcome' },
);

/** The answer for given intents. */
export const SimulationSchema = StrictObject(
  {
    ...SUMMARY,
    intents: Type.Array(StrictObject({ in_force: POLICY_OUTCOME, draft: POLICY_OUTCOME }), {
      description: 'In the order in which they were given.',
    }),
  },
  { title: 'Simulation' },
);

/** One line of the answer for stored intents: `started`, any number of `progress` lines, then `summary` or `error`. */
export const SimulationLine = Type.Union([
  StrictObject(
    { type: Type.Literal('started'), ...POLICIES, warnings: FINDINGS },
    { title: 'Simulation started' },
  ),
  StrictObject(
    {
      type: Type.Literal('progress'),
      scanned: COUNT,
      total: Type.Integer({ minimum: 0, description: 'Intents to examine.' }),
      evaluated: COUNT,
      changed: COUNT,
    },
    { title: 'Simulation progress' },
  ),
  StrictObject(
    {
      type: Type.Literal('summary'),
      ...SUMMARY,
      since_made: Type.Unsafe<Type.Static<typeof DIFFERENCES>>({
        ...DIFFERENCES,
        title: 'Differences since creation',
        description: 'From the effect when each intent was created to the effect under the draft.',
      }),
      became: StrictObject(
        {
          allowed: BY_EFFECT,
          approved: BY_EFFECT,
          denied: BY_EFFECT,
          expired: BY_EFFECT,
          pending: BY_EFFECT,
          refused: BY_EFFECT,
        },
        {
          title: 'Actual outcomes',
          description:
            'The draft’s effects, by what actually happened to the intents. `allowed` and `refused`: decided at once by policy. `approved` and `denied`: decided by people. `expired`. `pending`: not decided yet.',
        },
      ),
    },
    { title: 'Simulation summary' },
  ),
  StrictObject(
    { type: Type.Literal('error'), error: FreeObject },
    {
      title: 'Simulation failure',
      description: 'The simulation could not be finished. `error` is as in any refusal.',
    },
  ),
]);

export const ShadowPolicySchema = StrictObject(
  {
    id: Type.String({ description: 'Same as hash.' }),
    hash: Hash,
    policy: FreeObject,
    since: Timestamp,
    created_by: Type.String(),
    evaluated: Type.Integer({ minimum: 0, description: 'Intents that it evaluated.' }),
    diverged: Type.Integer({ minimum: 0, description: 'Of these, those for which it gives another result.' }),
    warnings: Type.Optional(FINDINGS),
  },
  { title: 'Shadow policy' },
);

export const ShadowDivergencesSchema = StrictObject(
  {
    hash: Hash,
    since: Timestamp,
    evaluated: COUNT,
    diverged: COUNT,
    groups: Type.Array(
      StrictObject(
        { in_force: SAID, shadow: SAID, direction: DIRECTION, terms: TERMS, count: COUNT },
        { title: 'Shadow difference' },
      ),
      { description: 'Counts since then by rule and change. Most frequent first, at most 500.' },
    ),
    failures: Type.Array(StrictObject({ rule: Type.String(), count: COUNT }), {
      description: 'Rules of the shadow policy whose condition failed.',
    }),
    data: Type.Array(
      StrictObject(
        {
          intent_id: Id('int', 'Intent.'),
          at: Timestamp,
          in_force: SAID,
          shadow: SAID,
          direction: DIRECTION,
          terms: TERMS,
        },
        { title: 'Shadow divergence' },
      ),
      { description: 'Newest first. The newest 1,000 are kept.' },
    ),
    next_cursor: Nullable(Type.String()),
  },
  { title: 'Shadow divergences' },
);
