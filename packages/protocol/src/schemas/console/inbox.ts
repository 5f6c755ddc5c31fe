/** What the dashboard's inbox and history show of intents, and decisions on several at once. */
import Type from 'typebox';
import { INTENT_STATUSES, PROJECT_MODES, PROOF_TIERS, RISK_TIERS, SOURCE_TYPES } from '../../vocabulary.ts';
import { Reason } from '../decision.ts';
import { Hash, Nullable, StrictObject } from '../forms.ts';
import { ApprovalsSchema } from '../intent.ts';
import { PresentedId } from '../presented.ts';
import { AskedOf, DeniedLately, MissingApprovals, OwnPage, RiskRated, WhyNot } from './standing.ts';

/** The beginning of a text in the requester's own characters, and the number of characters omitted. */
const ExcerptSchema = StrictObject({ text: Type.String(), more: Type.Integer() });

export const InboxItem = StrictObject({
  id: Type.String(),
  project_id: Type.String(),
  project_name: Type.String(),
  mode: Type.Enum([...PROJECT_MODES]),
  status: Type.Enum([...INTENT_STATUSES]),
  action: Type.String(),
  params_preview: ExcerptSchema,
  params_hash: Type.String(),
  /** An approval of this row names this hash. */
  intent_hash: Type.String(),
  risk_tier: Type.Enum([...RISK_TIERS]),
  risk_rated: RiskRated,
  proof_tier: Type.Enum([...PROOF_TIERS]),
  source: Nullable(Type.String()),
  source_type: Type.Enum([...SOURCE_TYPES]),
  /** The owner of the credential that sent the request. */
  requester: StrictObject({ type: Type.String(), id: Type.String(), display: Type.String() }),
  /** The requester's own words, which nobody checked. */
  words: Nullable(ExcerptSchema),
  rule: Nullable(Type.String()),
  created_at: Type.String(),
  expires_at: Type.String(),
  resolved_at: Nullable(Type.String()),
  resolved_by: Nullable(Type.String()),
  reason: Nullable(Type.String()),
  erased_at: Nullable(Type.String()),
  approvals: ApprovalsSchema,
  approvals_required: Type.Integer(),
  approvals_received: Type.Integer(),
  missing: MissingApprovals,
  asked_of: AskedOf,
  denied_lately: DeniedLately,
  /** For a pending request: the policy has changed since it was sent. */
  policy_changed: Type.Boolean(),
  project_stopped: Type.Boolean(),
  /** Null when no registered agent sent the request, or the request is no longer pending. */
  agent_status: Nullable(Type.Enum(['active', 'paused', 'revoked'])),
  /** Whether the caller may approve the request now. */
  can_decide: Type.Boolean(),
  /** Whether the caller can approve the request in the list with one confirmation. Otherwise they must open it. */
  in_place: Type.Boolean(),
  own_page: OwnPage,
  why_not: WhyNot,
});

export const InboxPage = StrictObject({
  data: Type.Array(InboxItem),
  next_cursor: Nullable(Type.String()),
  pending_total: Type.Integer(),
  /** There are more than `pending_total`; the count stopped there. */
  pending_more: Type.Boolean(),
});

export const InboxItems = StrictObject({ data: Type.Array(InboxItem) });

export const HistoryPage = StrictObject({
  data: Type.Array(InboxItem),
  next_cursor: Nullable(Type.String()),
});

export const Decisions = StrictObject({
  decisions: Type.Array(
    StrictObject({
      intent_id: PresentedId,
      decision: Type.Enum(['approve', 'deny']),
      /** Hash of what was shown. Each approval names it. */
      intent_hash: Type.Optional(Hash),
      reason: Type.Optional(Reason),
    }),
    { minItems: 1, maxItems: 100 },
  ),
});

export const DecisionResults = StrictObject({
  data: Type.Array(
    StrictObject({
      intent_id: Type.String(),
      status: Type.Optional(Type.Enum([...INTENT_STATUSES])),
      error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    }),
  ),
});
