/** Bodies and answers of surface B (`/v1`): intents and permits. */
import Type from 'typebox';
import { INTENT_STATUSES, OUTCOMES, PROJECT_MODES } from '../vocabulary.ts';
import { IntentHashApproved, IntentHashSeen, ProofSessionId, Reason } from './decision.ts';
import { FreeObject, Hash, Id, Nullable, StrictObject, Timestamp } from './forms.ts';
import { ApprovalsSchema, AskedAgainFrom, ErasedAt, ExtensionRequested } from './intent.ts';
import { PresentedAction, PresentedId, PresentedToken, Token } from './presented.ts';
import { ReceiptSchema } from './receipt.ts';
import {
  Action,
  ExpiresIn,
  ProofTierSchema,
  REQUEST_PROPERTIES,
  RiskTierSchema,
  SourceTypeSchema,
} from './request.ts';

export const CreateIntentB = StrictObject(
  {
    action: Action,
    params: Type.Optional(FreeObject),
    source_type: Type.Optional(SourceTypeSchema),
    metadata: Type.Optional(FreeObject),
    ...REQUEST_PROPERTIES,
  },
  {
    title: 'New intent (surface B)',
    examples: [
      {
        action: 'payments.refund',
        params: { order: 'A-4711', amount: 120.5, currency: 'EUR' },
        approvers: ['role:approver'],
        expires_in: 1800,
      },
    ],
  },
);

export const PermitB = StrictObject(
  {
    token: Type.Optional(Token),
    expires_at: Timestamp,
    approved_by: Type.String({
      description: 'Email address of the last approver needed, or policy:<rule>.',
    }),
    approved_at: Timestamp,
  },
  { title: 'Permit' },
);

export const IntentB = StrictObject(
  {
    id: Id('int', 'Intent.'),
    status: Type.Enum([...INTENT_STATUSES]),
    action: Action,
    params: FreeObject,
    params_hash: Hash,
    source: Nullable(Type.String()),
    source_type: SourceTypeSchema,
    approvers: Type.Array(Type.String()),
    approval_url: Type.String({
      description: 'Where a person reviews and decides it. Opening it decides nothing.',
    }),
    expires_at: Timestamp,
    created_at: Timestamp,
    metadata: FreeObject,
    risk_tier: RiskTierSchema,
    proof_tier: ProofTierSchema,
    approvals_required: Type.Integer({ description: 'Approvals that the requirement needs.' }),
    approvals_received: Type.Integer({ description: 'Of these, approvals given so far.' }),
    approvals: ApprovalsSchema,
    resolved_at: Nullable(Timestamp),
    resolved_by: Nullable(Type.String()),
    reason: Nullable(Type.String()),
    outcome: Nullable(Type.Enum([...OUTCOMES])),
    erased_at: Type.Optional(ErasedAt),
    asked_again_from: Type.Optional(AskedAgainFrom),
    extension_requested: Type.Optional(ExtensionRequested),
    permit: Type.Optional(PermitB),
  },
  { title: 'Intent (surface B)' },
);

export const ApproveB = StrictObject({
  comment: Type.Optional(Reason),
  proof_session_id: Type.Optional(ProofSessionId),
  intent_hash: IntentHashApproved,
});
export const DenyB = StrictObject({ reason: Type.Optional(Reason), intent_hash: IntentHashSeen });
export const AskAgainB = StrictObject({ expires_in: Type.Optional(ExpiresIn) });
export const EmptyBody = StrictObject({});

export const ReportOutcomeB = StrictObject({
  outcome: Type.Enum([...OUTCOMES]),
  detail: Type.Optional(Reason),
});

export const OutcomeB = StrictObject({
  id: Id('int', 'Same as intent_id.'),
  intent_id: Id('int', 'Intent.'),
  outcome: Type.Enum([...OUTCOMES]),
  reported_at: Timestamp,
});

export const ValidateB = StrictObject({
  token: PresentedToken,
  action: Type.Optional(PresentedAction),
  params: Type.Optional(FreeObject),
  consume: Type.Optional(
    Type.Boolean({ description: 'Uses the permit: one winner per intent. Requires action and params.' }),
  ),
});

/** What both surfaces answer about a valid permit, or about a receipt. */
export const Verification = StrictObject(
  {
    valid: Type.Literal(true),
    bound: Type.Boolean({
      description: 'False without both action and parameters. It then authorises nothing.',
    }),
    authorizes: Type.Boolean({
      description:
        'True only for a permit bound to this action and these parameters. A receipt never authorises.',
    }),
    consumed: Type.Boolean({ description: 'True when this call was the single use.' }),
    intent_id: Id('int', 'Intent.'),
    action: Action,
    params_hash: Hash,
    policy_hash: Hash,
    proof_tier: ProofTierSchema,
    approved_by: Type.String(),
    approved_at: Timestamp,
    expires_at: Timestamp,
    mode: Type.Enum([...PROJECT_MODES]),
    receipt_v2: ReceiptSchema,
  },
  { title: 'Verification' },
);

export const RevokePermitB = StrictObject({
  intent_id: Type.Optional(PresentedId),
  token: Type.Optional(PresentedToken),
  reason: Type.Optional(Reason),
});

export const RevokedB = StrictObject({
  intent_id: Id('int', 'Intent.'),
  revocation_status: Type.Literal('revoked'),
  revoked_at: Timestamp,
});
