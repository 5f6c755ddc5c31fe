import type { Intent } from '../../gate/intents/intent.ts';
import type { IssuedPermit } from '../../gate/tokens/issue-permit.ts';
import { fromJson, toJson } from '../sql/column.ts';
import type { NewRow, Row } from '../sql/tables.ts';

/** An intent's row with its current permit and its receipt beside it. */
export interface IntentRow extends Row<'intents'> {
  permit_token: string | null;
  permit_issued_at: string | null;
  permit_expires_at: string | null;
  receipt: Row<'issued'>['receipt'] | null;
}

export function toIntent(row: IntentRow): Intent {
  return {
    id: row.id,
    projectId: row.project_id,
    action: row.action,
    params: fromJson(row.params),
    paramsHash: row.params_hash,
    intentHash: row.intent_hash,
    metadata: fromJson(row.metadata),
    source: row.source,
    sourceType: row.source_type,
    riskTier: row.risk_tier,
    proofTier: row.proof_tier,
    requester: {
      type: row.requester_type,
      id: row.requester_id,
      display: row.requester_display,
      ownerId: row.requester_owner_id,
    },
    agentId: row.agent_id,
    requestedRiskTier: row.requested_risk_tier,
    requestedProofTier: row.requested_proof_tier,
    minApprovals: row.min_approvals,
    approvers: fromJson(row.approvers),
    decision: row.decision,
    rule: row.rule,
    requirement: fromJson(row.requirement),
    policyHash: row.policy_hash,
    permitTtlSeconds: row.permit_ttl_seconds,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    status: row.status,
    approvalsReceived: row.approvals_received,
    approvalsRequired: row.approvals_required,
    revision: row.revision,
    resolvedAt: row.resolved_at,
    resolvedBy: row.resolved_by,
    reason: row.reason,
    approvedBy: row.approved_by,
    approvedAt: row.approved_at,
    approvals: fromJson(row.approvals),
    permit: toIssuedPermit(row),
    receipt: row.receipt === null ? null : fromJson(row.receipt),
    receiptIndex: row.receipt_index,
    consumedAt: row.consumed_at,
    consumedBy: row.consumed_by,
    revokedAt: row.revoked_at,
    outcome: row.outcome,
    outcomeAt: row.outcome_at,
    erasedAt: row.erased_at,
    askedAgainFrom: row.asked_again_from,
    askedBy: row.asked_by,
    // Older rows do not say it; what is above low was rated.
    riskRated: row.risk_rated === 1 || row.risk_tier !== 'low',
    extensionRequest: row.extension === null ? null : fromJson(row.extension),
  };
}

/** What is written of a new intent. */
export type IntentToInsert = Omit<NewRow<'intents'>, 'project_key' | 'agent_key' | 'denied_by'>;

export function toIntentRow(intent: Intent): IntentToInsert {
  return {
    id: intent.id,
    project_id: intent.projectId,
    status: intent.status,
    revision: intent.revision,
    action: intent.action,
    params_hash: intent.paramsHash,
    intent_hash: intent.intentHash,
    source: intent.source,
    source_type: intent.sourceType,
    risk_tier: intent.riskTier,
    proof_tier: intent.proofTier,
    requester_type: intent.requester.type,
    requester_id: intent.requester.id,
    requester_display: intent.requester.display,
    requester_owner_id: intent.requester.ownerId,
    agent_id: intent.agentId,
    requested_risk_tier: intent.requestedRiskTier,
    requested_proof_tier: intent.requestedProofTier,
    min_approvals: intent.minApprovals,
    decision: intent.decision,
    rule: intent.rule,
    policy_hash: intent.policyHash,
    permit_ttl_seconds: intent.permitTtlSeconds,
    created_at: intent.createdAt,
    expires_at: intent.expiresAt,
    approvals_received: intent.approvalsReceived,
    approvals_required: intent.approvalsRequired,
    resolved_at: intent.resolvedAt,
    resolved_by: intent.resolvedBy,
    reason: intent.reason,
    approved_by: intent.approvedBy,
    approved_at: intent.approvedAt,
    permit_id: intent.permit?.id ?? null,
    receipt_index: intent.receiptIndex,
    consumed_at: intent.consumedAt,
    consumed_by: intent.consumedBy,
    revoked_at: intent.revokedAt,
    outcome: intent.outcome,
    outcome_at: intent.outcomeAt,
    approvers: toJson(intent.approvers),
    requirement: toJson(intent.requirement),
    approvals: toJson(intent.approvals),
    metadata: toJson(intent.metadata),
    params: toJson(intent.params),
    erased_at: intent.erasedAt,
    asked_again_from: intent.askedAgainFrom,
    asked_by: intent.askedBy,
    risk_rated: intent.riskRated ? 1 : 0,
    extension: intent.extensionRequest && toJson(intent.extensionRequest),
  };
}

function toIssuedPermit(row: IntentRow): IssuedPermit | null {
  const {
    permit_id: id,
    permit_token: token,
    permit_issued_at: issuedAt,
    permit_expires_at: expiresAt,
  } = row;
  if (id === null || token === null || issuedAt === null || expiresAt === null) return null;
  return { id, token, issuedAt, expiresAt };
}
