import type { IntentB } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { IntentView } from '../../gate/intents/intent-view.ts';

export type SurfaceBIntent = Static<typeof IntentB>;

/** An intent on surface B, with the parts of its permit that the caller may have. */
export function toSurfaceBIntent(view: IntentView): SurfaceBIntent {
  const { intent } = view;
  const permit = toSurfaceBPermit(view);
  return {
    id: intent.id,
    status: intent.status,
    action: intent.action,
    params: intent.params,
    params_hash: intent.paramsHash,
    source: intent.source,
    source_type: intent.sourceType,
    approvers: [...intent.approvers],
    approval_url: view.approvalUrl,
    expires_at: intent.expiresAt,
    created_at: intent.createdAt,
    metadata: intent.metadata,
    risk_tier: intent.riskTier,
    proof_tier: intent.proofTier,
    approvals_required: intent.approvalsRequired,
    approvals_received: intent.approvalsReceived,
    approvals: intent.approvals.map(({ by, at, method }) => ({ by, at, method })),
    resolved_at: intent.resolvedAt,
    resolved_by: intent.resolvedBy,
    reason: intent.reason,
    outcome: intent.outcome,
    ...(intent.erasedAt === null ? {} : { erased_at: intent.erasedAt }),
    ...(intent.askedAgainFrom === null ? {} : { asked_again_from: intent.askedAgainFrom }),
    ...(intent.extensionRequest === null ? {} : { extension_requested: { ...intent.extensionRequest } }),
    ...(permit ? { permit } : {}),
  };
}

/** Every reader sees who approved, and when the permit expires. Only callers that may hold the token get the token. */
function toSurfaceBPermit({ intent, permit }: IntentView): SurfaceBIntent['permit'] {
  const { approvedBy, approvedAt } = intent;
  if (!intent.permit || approvedBy === null || approvedAt === null) return undefined;
  return {
    ...(permit ? { token: permit.token } : {}),
    expires_at: intent.permit.expiresAt,
    approved_by: approvedBy,
    approved_at: approvedAt,
  };
}
