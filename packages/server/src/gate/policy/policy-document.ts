import { PROOF_TIERS, RISK_TIERS } from '@permitry/protocol';
import { type Static, Type } from 'typebox';
import { MAX_EXPRESSION_LENGTH } from './condition/limits.ts';

/** Bytes of a document as canonical JSON. */
export const MAX_DOCUMENT_BYTES = 128 * 1024;
export const MAX_RULES = 500;
/** Maximum entries of one rule's `require`. */
const MAX_ENTRIES = 20;

/** Printable on one line, because it appears in `approved_by` as `policy:<rule>`, in logs and on pages. */
const Label = (description: string) =>
  Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$', description });

const Approvers = Type.Array(Type.String({ minLength: 1, maxLength: 254 }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: 'Email addresses, group names, or role:approver, role:admin, role:owner (that role or above).',
});

const Count = Type.Integer({ minimum: 1, maximum: 50 });

/** Members that entries of `require` and `default` share. */
const ENTRY_PROPERTIES = {
  programs: Type.Optional(
    Type.Boolean({
      description:
        'In live mode a secret key or an access token may approve in these slots. Default: only a person may. Never for a request with a common person behind it.',
    }),
  ),
  or_named: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 254 }), {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description:
        'Groups. Their members whom the request names may fill these slots, in addition to the people in the entry itself.',
    }),
  ),
};

const Mandates = Type.Union(
  [
    Type.Boolean(),
    Type.Object({ max_days: Type.Integer({ minimum: 1, maximum: 31 }) }, { additionalProperties: false }),
  ],
  {
    description:
      'Whether a mandate may approve in place of a person, and for how many days after its own approval. The strictest of the rules that require approval counts. Default: it may, but not where the risk is high or critical or a passkey or device key is required.',
  },
);
export type WrittenMandates = Static<typeof Mandates>;

const Words = (description: string) =>
  Type.Union(
    [
      Type.String({ minLength: 1, maxLength: 1_000 }),
      Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), { minItems: 1, maxItems: 100 }),
    ],
    { description },
  );

const Match = Type.Object(
  {
    action: Type.Optional(
      Words('Exact names, `*`, or a prefix followed by `*`. Join several by `|` or give a list.'),
    ),
    risk_tier: Type.Optional(Words(`One or several of ${RISK_TIERS.join(', ')}.`)),
    source_type: Type.Optional(Words('One or several source types.')),
    source: Type.Optional(Words('Patterns as in action. An intent without a source matches only `*`.')),
  },
  { additionalProperties: false, minProperties: 1, description: 'Every given member must match.' },
);

export const PolicyRuleSchema = Type.Object(
  {
    name: Label('Unique in the document.'),
    match: Type.Optional(Match),
    when: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_EXPRESSION_LENGTH,
        description:
          'A CEL expression over action, params, source, source_type, risk_tier, proof_tier, agent, metadata and now. Integers and fractions compare and compute with each other. A condition that fails counts as true for deny and require_approval, and never for allow.',
      }),
    ),
    effect: Type.Enum(['allow', 'require_approval', 'deny']),
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    require: Type.Optional(
      Type.Array(
        Type.Object({ from: Approvers, count: Count, ...ENTRY_PROPERTIES }, { additionalProperties: false }),
        {
          minItems: 1,
          maxItems: MAX_ENTRIES,
          description: 'Only with require_approval. Without it, the approvers of `default` count.',
        },
      ),
    ),
    mandates: Type.Optional(Mandates),
    risk_tier: Type.Optional(
      Type.Enum([...RISK_TIERS], { description: 'Raises the tier, never lowers it.' }),
    ),
    proof_tier: Type.Optional(
      Type.Enum([...PROOF_TIERS], { description: 'Raises the tier, never lowers it.' }),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_592_000,
        description: 'Maximum lifetime of an intent in seconds.',
      }),
    ),
    permit_ttl: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 3_600, description: 'Maximum lifetime of a permit in seconds.' }),
    ),
  },
  { additionalProperties: false },
);
export type PolicyRule = Static<typeof PolicyRuleSchema>;

const PolicyDefaultSchema = Type.Object(
  {
    approvers: Approvers,
    min_approvals: Type.Optional(Count),
    mandates: Type.Optional(Mandates),
    ...ENTRY_PROPERTIES,
  },
  { additionalProperties: false, description: 'Who decides when no rule names anyone.' },
);

/**
 * A policy, one document per project. The order of its rules never matters: deny beats require_approval beats allow.
 * Without a matching rule a person decides.
 */
export const PolicyDocumentSchema = Type.Object(
  {
    name: Label('For people.'),
    default: PolicyDefaultSchema,
    requester_may_narrow: Type.Optional(
      Type.Boolean({
        description:
          'Whether a request may name approvers, among those whom this policy asks for. Default: true. If false, a request that names approvers is refused, unless an entry that applies to it has `or_named`.',
      }),
    ),
    rules: Type.Array(PolicyRuleSchema, { maxItems: MAX_RULES }),
  },
  { additionalProperties: false },
);
export type PolicyDocument = Static<typeof PolicyDocumentSchema>;
