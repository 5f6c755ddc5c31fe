/** The state of a request's approvals, as both the inbox and the approval page show it. */
import Type from 'typebox';
import { Nullable, StrictObject } from '../forms.ts';

/** Approvals still needed, by entry of the requirement. */
export const MissingApprovals = Type.Array(
  StrictObject({
    from: Type.Array(Type.String()),
    count: Type.Integer(),
    /** Email addresses of the first few people who can give one of these approvals. */
    who: Type.Array(Type.String()),
    more: Type.Integer(),
  }),
);

/** Names in the request that limit who can approve it. Empty when the request names nobody. */
export const AskedOf = Type.Array(Type.String());

/** The last time in the last 7 days that a person denied an equal request. A list then offers no approval. */
export const DeniedLately = Nullable(
  StrictObject({
    intent_id: Type.String(),
    by: Type.String(),
    at: Type.String(),
    reason: Nullable(Type.String()),
  }),
);

/** Why the caller cannot approve the request now. */
export const WhyNot = Nullable(
  Type.Enum([
    'resolved',
    'viewer',
    'not_an_approver',
    'own_request',
    'person_required',
    'already_voted',
    'policy_denies',
  ]),
);

/**
 * Why people can approve the request only on its own page, apart from its risk and proof. Either a row would cut the
 * request or mark characters in it. Or people have not approved the action in this project before. Or they approved an
 * identical request in the last 24 hours.
 */
export const OwnPage = Nullable(Type.Enum(['cut', 'marked', 'first_approval', 'approved_lately']));

/** Whether the requester, its agent or a policy rule rated the risk. Otherwise it is `low`. */
export const RiskRated = Type.Boolean();
