/**
 * The closed lists of words in the API, in the audit log and in tokens.
 *
 * Order matters where a list is a scale: a later risk or proof tier is the higher one.
 */
export const INTENT_STATUSES = ['pending', 'approved', 'denied', 'expired'] as const;
export type IntentStatus = (typeof INTENT_STATUSES)[number];

export const SOURCE_TYPES = ['ai_agent', 'service', 'ci', 'script', 'human', 'other'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** Ascending. */
export const RISK_TIERS = ['low', 'medium', 'high', 'critical'] as const;
export type RiskTier = (typeof RISK_TIERS)[number];

/** Newest first; or by expiry, soonest first; or by risk, highest first, and then by expiry. */
export const INBOX_ORDERS = ['newest', 'expiring', 'risk'] as const;
export type InboxOrder = (typeof INBOX_ORDERS)[number];

/** Ascending. */
export const PROOF_TIERS = ['none', 'session', 'device', 'passkey'] as const;
export type ProofTier = (typeof PROOF_TIERS)[number];

/** What the policy said when the intent was created. */
export const INTENT_DECISIONS = ['require_approval', 'auto_approve', 'auto_deny'] as const;
export type IntentDecision = (typeof INTENT_DECISIONS)[number];

/** How an approval was given. `policy`: by a rule, without a person. */
export const APPROVAL_METHODS = ['policy', 'key', 'token', 'session', 'device', 'passkey'] as const;
export type ApprovalMethod = (typeof APPROVAL_METHODS)[number];

export const PROJECT_MODES = ['test', 'live'] as const;
export type ProjectMode = (typeof PROJECT_MODES)[number];

/** Ascending. */
export const ROLES = ['viewer', 'approver', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export const OUTCOMES = ['succeeded', 'failed', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Whether the approval behind a receipt is still valid. `suspended`: its agent is paused. */
export const REVOCATION_STATUSES = ['active', 'suspended', 'revoked'] as const;
export type RevocationStatus = (typeof REVOCATION_STATUSES)[number];

/** Why a permit does not authorise (`reason` of `INVALID_PERMIT` and `permit_invalid`). */
export const PERMIT_REFUSALS = [
  'malformed',
  'tampered',
  'unknown_key',
  'expired',
  'not_yet_valid',
  'wrong_project',
  'action_mismatch',
  'params_mismatch',
  'already_used',
  'revoked',
  'agent_paused',
  'agent_revoked',
  'project_stopped',
  'policy_changed',
  'not_a_permit',
] as const;
export type PermitRefusal = (typeof PERMIT_REFUSALS)[number];

/** Types of audit records. */
export const EVENT_TYPES = [
  'intent.created',
  'intent.approved',
  'intent.denied',
  'intent.expired',
  'approval.recorded',
  'extension.requested',
  'permit.issued',
  'permit.consumed',
  'permit.released',
  'permit.revoked',
  'outcome.reported',
  'agent.registered',
  'agent.updated',
  'agent.owner_left',
  'agent.keys_ending',
  'agent.paused',
  'agent.resumed',
  'agent.revoked',
  'project.created',
  'project.renamed',
  'project.limit_updated',
  'project.stopped',
  'project.started',
  'project.restored',
  'policy.updated',
  'policy.proposed',
  'policy.proposal_rejected',
  'policy.proposal_withdrawn',
  'policy.second_person_updated',
  'shadow.updated',
  'shadow.removed',
  'key.created',
  'key.revoked',
  'member.invited',
  'invitation.revoked',
  'member.added',
  'member.updated',
  'member.removed',
  'password.changed',
  'second_factor.enabled',
  'second_factor.removed',
  'recovery_codes.made',
  'recovery_code.used',
  'identity.linked',
  'identity.removed',
  'sign_in.blocked',
  'session.crowded_out',
  'passkey.added',
  'passkey.removed',
  'passkey.refused',
  'device_key.added',
  'device_key.removed',
  'chat_hook.updated',
  'chat_hook.removed',
  'group.updated',
  'group.removed',
  'signing_key.rotated',
  'signing_key.compromised',
  'access.refused',
  'text.erased',
  'retention.updated',
  'webhook.created',
  'webhook.updated',
  'webhook.enabled',
  'webhook.disabled',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.secret_dropped',
  'webhook.replayed',
  'upstream.added',
  'upstream.updated',
  'upstream.removed',
  'upstream.tools_found',
  'upstream.tools_changed',
  'upstream.tools_approved',
  'upstream.tools_withdrawn',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
