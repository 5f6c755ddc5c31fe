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
      Id('agt', 'The agent whose own key makes it; left out, a secret key does, and no agent is proven.'),
    ),
    at: Type.Optional(
      Type.String({ maxLength: 40, description: 'When it is made, ISO 8601; now when left out.' }),
    ),
  },
  { title: 'Simulated intent' },
);

const PastIntents = StrictObject(
  {
    from: Type.Optional(Type.String({ maxLength: 40, description: 'Made then or later; ISO 8601.' })),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'Made before; ISO 8601.' })),
    action: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1000, description: 'A pattern, as in match.action of a rule.' }),
    ),
    status: Type.Optional(Type.Enum([...INTENT_STATUSES, 'resolved'])),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'The newest so many that match.' }),
    ),
  },
  { title: 'Stored intents', description: 'Each member left out matches everything; {} is every intent.' },
);

export const SimulatePolicy = StrictObject(
  {
    policy: Type.Optional(
      Type.Unsafe<Record<string, never>>({
        type: 'object',
        description: 'The draft: a policy document. Left out: the policy in force.',
      }),
    ),
    intents: Type.Optional(
      Type.Array(SimulatedIntent, { minItems: 1, maxItems: 1000, description: 'Intents to try it on.' }),
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
  rule: Nullable(Type.String({ description: 'The rule that decides; null: the default.' })),
});
const TERMS = Type.Array(Type.Enum(['requirement', 'risk_tier', 'proof_tier', 'expires_in', 'permit_ttl']), {
  description: 'What changes under the same effect; empty when the effect changes.',
});
const DIRECTION = Type.Enum(['stricter', 'looser', 'mixed']);
const COUNT = Type.Integer({ minimum: 0 });
const BY_EFFECT = StrictObject({ allow: COUNT, require_approval: COUNT, deny: COUNT });
const SAMPLES = Type.Array(Type.String(), {
  description: 'At most ten: ids of stored intents, or where a given one stands, e.g. /intents/3.',
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
          description: 'All intents for which the same changes between the same rules.',
        },
      ),
      { description: 'Most frequent first; at most 500.' },
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
    description: 'What putting the draft in force would be warned of, or refused for.',
  }),
  complete: Type.Boolean({
    description: 'False: the time limit came first; the figures are of what was done.',
  }),
  scanned: Type.Integer({ minimum: 0, description: 'Intents looked at.' }),
  evaluated: Type.Integer({ minimum: 0, description: 'Of these, those both policies were asked about.' }),
  skipped: Type.Integer({
    minimum: 0,
    description: 'Those the filter let through that lost texts by erasure; no policy is asked about them.',
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
    { description: 'Conditions that could not be evaluated, by rule. They never count for permission.' },
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
      { description: "The policy's own. The request's approvers narrow it, and min_approvals adds to it." },
    ),
    risk_tier: RiskTierSchema,
    proof_tier: ProofTierSchema,
    expires_in: Nullable(Type.Integer()),
    permit_ttl: Nullable(Type.Integer()),
    failed_conditions: Type.Array(Type.String(), { description: 'Rules whose condition failed.' }),
  },
  { title: 'Policy outcome' },
);

/** The answer about given intents. */
export const SimulationSchema = StrictObject(
  {
    ...SUMMARY,
    intents: Type.Array(StrictObject({ in_force: POLICY_OUTCOME, draft: POLICY_OUTCOME }), {
      description: 'In the order they were given.',
    }),
  },
  { title: 'Simulation' },
);

/** One line of the answer about stored intents: `started`, any number of `progress`, then `summary` or `error`. */
export const SimulationLine = Type.Union([
  StrictObject(
    { type: Type.Literal('started'), ...POLICIES, warnings: FINDINGS },
    { title: 'Simulation started' },
  ),
  StrictObject(
    {
      type: Type.Literal('progress'),
      scanned: COUNT,
      total: Type.Integer({ minimum: 0, description: 'Intents to look at.' }),
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
        title: 'Differences since made',
        description: 'From what was said when each intent was made to the draft, by effect alone.',
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
          title: 'What became of them',
          description:
            'By what became of the intents, what the draft says of them: `allowed` and `refused` at once by policy; `approved` and `denied` by people; `expired`; `pending` still.',
        },
      ),
    },
    { title: 'Simulation summary' },
  ),
  StrictObject(
    { type: Type.Literal('error'), error: FreeObject },
    { title: 'Simulation failure', description: 'It could not be finished; `error` as in any refusal.' },
  ),
]);

export const ShadowPolicySchema = StrictObject(
  {
    id: Type.String({ description: 'Same as hash.' }),
    hash: Hash,
    policy: FreeObject,
    since: Timestamp,
    created_by: Type.String(),
    evaluated: Type.Integer({ minimum: 0, description: 'Intents it was asked about.' }),
    diverged: Type.Integer({ minimum: 0, description: 'Of these, those it says something else about.' }),
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
      { description: 'Counts since then by rule and change, most frequent first; at most 500.' },
    ),
    failures: Type.Array(StrictObject({ rule: Type.String(), count: COUNT }), {
      description: 'Rules of the shadow whose condition failed.',
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
      { description: 'Newest first; the newest 1,000 are kept.' },
    ),
    next_cursor: Nullable(Type.String()),
  },
  { title: 'Shadow divergences' },
);
