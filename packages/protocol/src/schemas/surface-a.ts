/** Bodies and answers of surface A (`/api`). */
import Type from 'typebox';
import type { JsonObject } from '../json.ts';
import { INTENT_DECISIONS, INTENT_STATUSES, OUTCOMES } from '../vocabulary.ts';
import { IntentHashApproved, ProofSessionId, Reason } from './decision.ts';
import { FreeObject, Hash, Id, Nullable, StrictObject, Timestamp } from './forms.ts';
import { ApprovalsSchema, AskedAgainFrom, ErasedAt, ExtensionRequested } from './intent.ts';
import { PresentedAction, PresentedId, PresentedToken, Token } from './presented.ts';
import { ReceiptSchema } from './receipt.ts';
import { Action, ProofTierSchema, REQUEST_PROPERTIES, RiskTierSchema, SourceTypeSchema } from './request.ts';

export const CreateIntentA = StrictObject(
  {
    action: Action,
    source_type: SourceTypeSchema,
    context: Type.Optional(FreeObject),
    ...REQUEST_PROPERTIES,
  },
  {
    title: 'New intent (surface A)',
    examples: [
      {
        action: 'payments.refund',
        source_type: 'ai_agent',
        risk_tier: 'high',
        context: { order: 'A-4711', amount: 120.5, currency: 'EUR' },
      },
    ],
  },
);

const INTENT_A = {
  id: Id('int', 'Intent.'),
  status: Type.Enum([...INTENT_STATUSES]),
  decision: Type.Enum([...INTENT_DECISIONS], {
    description: 'What the policy said when the intent was created.',
  }),
  action: Action,
  source: Nullable(Type.String()),
  source_type: SourceTypeSchema,
  risk_tier: RiskTierSchema,
  context: FreeObject,
  proof_tier: ProofTierSchema,
  params_hash: Hash,
  approval_url: Type.String({
    description: 'Where a person reviews and decides it. Opening it decides nothing.',
  }),
  approvers: Type.Array(Type.String(), { description: 'As the request named them.' }),
  approvals_required: Type.Integer({ description: 'Approvals that the requirement needs.' }),
  approvals_received: Type.Integer({ description: 'Of these, approvals given so far.' }),
  approvals: ApprovalsSchema,
  outcome: Nullable(Type.Enum([...OUTCOMES])),
  created_at: Timestamp,
  expires_at: Timestamp,
  resolved_at: Nullable(Timestamp),
  resolved_by: Nullable(Type.String()),
  reason: Nullable(Type.String()),
  erased_at: Type.Optional(ErasedAt),
  asked_again_from: Type.Optional(AskedAgainFrom),
  extension_requested: Type.Optional(ExtensionRequested),
};

/** As in lists, without the permit token. */
export const IntentSummaryA = StrictObject(INTENT_A, { title: 'Intent summary (surface A)' });

export const IntentA = StrictObject(
  {
    ...INTENT_A,
    permit_token: Type.Optional(Token),
    receipt_v2: Type.Optional(ReceiptSchema),
  },
  { title: 'Intent (surface A)' },
);

export const IntentListA = StrictObject({
  intents: Type.Array(IntentSummaryA),
  next_cursor: Nullable(Type.String()),
});

export const DecideA = StrictObject({
  decision: Type.Enum(['approve', 'deny']),
  reason: Type.Optional(Reason),
  proof_session_id: Type.Optional(ProofSessionId),
  intent_hash: IntentHashApproved,
});

/** Opens a proof session for one decision of the person who is signed in. */
export const StartProofA = {
  intent_id: Type.Optional(PresentedId),
  decision: Type.Optional(Type.Enum(['approve', 'deny'])),
  method: Type.Optional(
    Type.Enum(['device', 'passkey'], {
      description:
        'passkey: in the browser where you are signed in. device: a key from `permitry device enroll`.',
    }),
  ),
};

/** Either the request that opens a proof session, or the signature for one. */
export const ProofA = StrictObject({
  ...StartProofA,
  proof_session_id: Type.Optional(PresentedId),
  signals: Type.Optional(
    Type.Unsafe<JsonObject>({
      type: 'object',
      additionalProperties: true,
      description:
        'The signature. From a passkey: its PublicKeyCredential as JSON (WebAuthn Level 3). From a device key: { jws }.',
    }),
  ),
});

export const StartedProofA = StrictObject({
  proof_session: StrictObject({
    id: Id('prf', 'Proof session.'),
    status: Type.Literal('pending'),
    method: Type.Enum(['device', 'passkey']),
    challenge: Type.String({
      description:
        'The bytes to sign: base64url of SHA-256(JCS{ intent_hash, decision, approver, nonce, exp }).',
    }),
    options: Type.Unsafe<JsonObject>({
      type: 'object',
      additionalProperties: true,
      description:
        'For a passkey: options for navigator.credentials.get (PublicKeyCredentialRequestOptionsJSON). For a device key: { keys, terms, intent }, the person’s keys and everything that the challenge covers.',
    }),
    expires_at: Timestamp,
  }),
});

export const SubmittedProofA = StrictObject({
  proof_session: StrictObject({
    id: Id('prf', 'Proof session.'),
    status: Type.Enum(['completed', 'failed'], {
      description: 'failed: these signals prove nothing. Others may be submitted while tries remain.',
    }),
    proof_tier: ProofTierSchema,
    tries_left: Type.Integer(),
  }),
});

/** Either a permit, or a receipt: `receipt_v2` itself or its `jws`. */
export const VerifyA = StrictObject({
  permit_token: Type.Optional(PresentedToken),
  receipt: Type.Optional(
    Type.Union([PresentedToken, FreeObject], {
      description: 'receipt_v2, or its jws. A receipt never authorises.',
    }),
  ),
  action: Type.Optional(PresentedAction),
  context: Type.Optional(FreeObject),
  consume: Type.Optional(
    Type.Boolean({
      description: 'Also uses the permit: one winner per intent. Requires action and context.',
    }),
  ),
});
