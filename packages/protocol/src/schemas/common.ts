/** Pieces of wire schemas that both surfaces share. */
import Type from 'typebox';
import type { JsonObject } from '../json.ts';
import { APPROVAL_METHODS, PROOF_TIERS, RISK_TIERS, SOURCE_TYPES } from '../vocabulary.ts';

/** An object that refuses members it does not name. */
export function StrictObject<P extends Type.TProperties>(properties: P, options: Type.TObjectOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

export function Nullable<T extends Type.TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** An id of ours: prefix and 26 characters; opaque to callers. */
export function Id(prefix: string, description: string) {
  return Type.String({ pattern: `^${prefix}_[0-9a-z]{26}$`, description });
}

const INSTANT_PATTERN = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$';

export const Timestamp = Type.String({
  pattern: INSTANT_PATTERN,
  description: 'ISO 8601, UTC, milliseconds.',
  examples: ['2026-11-20T09:30:00.000Z'],
});

export const Hash = Type.String({
  pattern: '^sha256:[0-9a-f]{64}$',
  description: '<algorithm>:<hex digest>',
});

export const FreeObject = Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true });

export const Action = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$',
  description: 'Name of the protected action.',
  examples: ['payments.refund'],
});

/** Texts stand in columns of text, and not every database can hold a NUL there. */
export const WITHOUT_NUL = '^[^\\u0000]*$';

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

export const ApprovalsSchema = Type.Array(
  StrictObject({ by: Type.String(), at: Timestamp, method: Type.Enum([...APPROVAL_METHODS]) }),
  { description: 'Those given so far; once it is approved, those that counted.' },
);

export const ErasedAt = Type.String({
  pattern: INSTANT_PATTERN,
  description:
    'There once texts were erased: parameters and metadata are {}, reasons null, ids stand for people; hashes stay.',
});

export const AskedAgainFrom = Id('int', 'The intent that this one asks for again, where it does.');

export const ExtensionRequested = StrictObject(
  { by: Type.String(), at: Timestamp, comment: Nullable(Type.String()) },
  {
    description:
      'There once an approver asked for more time. The time of an intent never changes; ask again to give it more.',
  },
);

export const IntentHashSeen = Type.Optional(
  Type.String({
    maxLength: 128,
    description:
      'The intent_hash of what the approver was shown. A decision that names another one is refused (409).',
  }),
);

export const IntentHashApproved = Type.Optional(
  Type.String({
    maxLength: 128,
    description:
      'The intent_hash of what the approver was shown. An approval by a session, or by a user token with a device proof, names it (400 without). Programs may leave it out. A decision that names another one is refused (409).',
  }),
);

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

export const ProofSessionId = Type.String({ maxLength: 64, description: 'A completed proof session.' });

export const Reason = Type.String({
  maxLength: 2000,
  pattern: WITHOUT_NUL,
  description: 'In words; kept in the ledger, erasable.',
});

/** A compact JWS is at most 32 KiB; anything longer is not one of ours. */
export const Token = Type.String({
  minLength: 1,
  maxLength: 32_768,
  description: 'JWS in compact form; a bearer secret.',
});

/** Whatever is presented to be verified: what is not a token is answered as a permit that does not hold. */
export const PresentedToken = Type.String({ description: 'JWS in compact form.' });

/** The action about to run, as the executor names it. */
export const PresentedAction = Type.String({ description: 'The action that is about to run.' });

/** An id in a request: what is not one is simply not found. */
export const PresentedId = Type.String();

/** What a request for approval may say on both surfaces, in the same words. */
export const REQUEST_MEMBERS = {
  source: Type.Optional(Source),
  risk_tier: Type.Optional(RiskTierSchema),
  proof_tier: Type.Optional(ProofTierSchema),
  approvers: Type.Optional(Approvers),
  min_approvals: Type.Optional(MinApprovals),
  expires_in: Type.Optional(ExpiresIn),
};
