/** What the page on which people decide receives about one intent. Never a permit token. */
import Type from 'typebox';
import {
  APPROVAL_METHODS,
  INTENT_DECISIONS,
  INTENT_STATUSES,
  OUTCOMES,
  PROJECT_MODES,
  PROOF_TIERS,
  RISK_TIERS,
  SOURCE_TYPES,
} from '../../vocabulary.ts';
import { Reason } from '../decision.ts';
import { FreeObject, Nullable, StrictObject } from '../forms.ts';
import { ExtensionRequested } from '../intent.ts';
import { ReceiptSchema } from '../receipt.ts';
import { ExpiresIn } from '../request.ts';
import { AskedOf, DeniedLately, MissingApprovals, RiskRated, WhyNot } from './standing.ts';

export const ConsoleIntent = StrictObject({
  id: Type.String(),
  project: StrictObject({
    id: Type.String(),
    name: Type.String(),
    mode: Type.Enum([...PROJECT_MODES]),
    stopped: Type.Boolean(),
  }),
  status: Type.Enum([...INTENT_STATUSES]),
  decision: Type.Enum([...INTENT_DECISIONS]),
  /** Everything that `intent_hash` covers except `params`, under the names in which it is hashed. */
  hashed: StrictObject({
    project: Type.String(),
    intent: Type.String(),
    action: Type.String(),
    requester: Type.String(),
    source: Nullable(Type.String()),
    source_type: Type.Enum([...SOURCE_TYPES]),
    risk_tier: Type.Enum([...RISK_TIERS]),
    metadata: FreeObject,
    expires_at: Type.String(),
  }),
  /** `params` as the exact text that was hashed. Sent once, so that there cannot be two versions. */
  canonical_params: Type.String(),
  risk_rated: RiskRated,
  params_hash: Type.String(),
  intent_hash: Type.String(),
  /** The owner of the credential that sent the request. `agent`: the registered agent it runs as. */
  requester: StrictObject({
    type: Type.Enum(['agent', 'key']),
    id: Type.String(),
    display: Type.String(),
    agent: Nullable(
      StrictObject({
        id: Type.String(),
        name: Type.String(),
        status: Type.Enum(['active', 'paused', 'revoked']),
      }),
    ),
  }),
  approval_url: Type.String(),
  created_at: Type.String(),
  expires_at: Type.String(),
  resolved_at: Nullable(Type.String()),
  resolved_by: Nullable(Type.String()),
  reason: Nullable(Type.String()),
  withdrawn: Type.Boolean(),
  erased_at: Nullable(Type.String()),
  policy: StrictObject({
    rule: Nullable(Type.String()),
    /** The reason in the rule itself, as the policy is now. */
    reason: Nullable(Type.String()),
    /** What the policy says now. Null once the request is resolved. */
    effect: Nullable(Type.Enum(['allow', 'require_approval', 'deny'])),
    changed: Type.Boolean(),
  }),
  approvals_required: Type.Integer(),
  approvals_received: Type.Integer(),
  requirement: Type.Array(
    StrictObject({
      from: Type.Array(Type.String()),
      count: Type.Integer(),
      /** Whether a program's approval counts in live mode as well. */
      programs: Type.Boolean(),
    }),
  ),
  asked_of: AskedOf,
  denied_lately: DeniedLately,
  missing: MissingApprovals,
  votes: Type.Array(
    StrictObject({
      by: Type.String(),
      mine: Type.Boolean(),
      decision: Type.Enum(['approve', 'deny']),
      at: Type.String(),
      method: Type.Enum([...APPROVAL_METHODS]),
    }),
  ),
  can_approve: Type.Boolean(),
  can_deny: Type.Boolean(),
  why_not: WhyNot,
  proof: StrictObject({ tier: Type.Enum([...PROOF_TIERS]), has_passkey: Type.Boolean() }),
  permit: StrictObject({
    lifetime_seconds: Type.Integer(),
    /** Expiry of the latest permit. Null before there is one. */
    expires_at: Nullable(Type.String()),
    used_at: Nullable(Type.String()),
    revoked_at: Nullable(Type.String()),
  }),
  outcome: Nullable(Type.Enum([...OUTCOMES])),
  outcome_at: Nullable(Type.String()),
  receipt: Nullable(ReceiptSchema),
  /** The last request of this action that people approved. */
  previous: Nullable(
    StrictObject({
      id: Type.String(),
      approved_at: Type.String(),
      approved_by: Type.String(),
      canonical_params: Type.String(),
      params_hash: Type.String(),
    }),
  ),
  /**
   * While pending: the latest request with the same action and parameters that people approved in the last 24 hours.
   */
  approved_lately: Nullable(
    StrictObject({
      id: Type.String(),
      approved_at: Type.String(),
      used_at: Nullable(Type.String()),
      revoked_at: Nullable(Type.String()),
      outcome: Nullable(Type.Enum([...OUTCOMES])),
    }),
  ),
  extension_requested: Nullable(ExtensionRequested),
  can_ask_to_extend: Type.Boolean(),
  asked_again_from: Nullable(Type.String()),
  asked_again_as: Nullable(Type.String()),
  can_ask_again: Type.Boolean(),
});

export const AskToExtend = StrictObject({ comment: Type.Optional(Reason) });
export const AskAgain = StrictObject({ expires_in: Type.Optional(ExpiresIn) });

export const AskedAgain = StrictObject({
  id: Type.String(),
  approval_url: Type.String(),
  status: Type.Enum([...INTENT_STATUSES]),
});
