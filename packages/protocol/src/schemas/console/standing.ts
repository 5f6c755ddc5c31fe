/** Where a request stands with its approvers, as the inbox and the approval page both say it. */
import Type from 'typebox';
import { Nullable, StrictObject } from '../common.ts';

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

/** Why whoever looks cannot approve it now. */
export const WhyNot = Nullable(
  Type.Enum(['resolved', 'viewer', 'not_an_approver', 'own_request', 'already_voted', 'policy_denies']),
);
