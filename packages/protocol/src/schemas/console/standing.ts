/** Where a request stands with its approvers, as the inbox and the approval page both say it. */
import Type from 'typebox';
import { Nullable, StrictObject } from '../forms.ts';

/** Approvals that are still missing, entry by entry of the requirement. */
export const MissingApprovals = Type.Array(
  StrictObject({
    from: Type.Array(Type.String()),
    count: Type.Integer(),
    /** E-mail addresses of the first few who can give it. */
    who: Type.Array(Type.String()),
    more: Type.Integer(),
  }),
);

/** Names in the request that narrow who approves it; empty: it names nobody. */
export const AskedOf = Type.Array(Type.String());

/** The last time a person denied an equal request, in the last 7 days. It is not approved in a list then. */
export const DeniedLately = Nullable(
  StrictObject({
    intent_id: Type.String(),
    by: Type.String(),
    at: Type.String(),
    reason: Nullable(Type.String()),
  }),
);

/** Why whoever looks cannot approve it now. */
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
 * Why it is approved on its own page only, besides its risk and proof: a row would cut it, or mark characters in it, or
 * people have not approved the action in this project before, or they approved an identical request in the last 24 hours.
 */
export const OwnPage = Nullable(Type.Enum(['cut', 'marked', 'first_approval', 'approved_lately']));

/** Whether the requester, its agent or a policy rule rated the risk; `low` is what it is otherwise. */
export const RiskRated = Type.Boolean();
