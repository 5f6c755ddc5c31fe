import type { IntentA, IntentSummaryA } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { IntentView } from '../../gate/intents/intent-view.ts';
import type { IntentSummary } from '../../gate/intents/list.ts';

export type SurfaceAIntent = Static<typeof IntentA>;
export type SurfaceAIntentSummary = Static<typeof IntentSummaryA>;

/** An intent in a list of surface A, never with its permit token. */
export function toSurfaceAIntentSummary({ intent, approvalUrl }: IntentSummary): SurfaceAIntentSummary {
  return {
    id: intent.id,
    status: intent.status,
    decision: intent.decision,
    action: intent.action,
    source: intent.source,
    source_type: intent.sourceType,
    risk_tier: intent.riskTier,
    context: intent.params,
    proof_tier: intent.proofTier,
    params_hash: intent.paramsHash,
    approval_url: approvalUrl,
    approvers: [...intent.approvers],
    approvals_required: intent.approvalsRequired,
    approvals_received: intent.approvalsReceived,
    approvals: intent.approvals.map(({ by, at, method }) => ({ by, at, method })),
    outcome: intent.outcome,
    created_at: intent.createdAt,
    expires_at: intent.expiresAt,
    resolved_at: intent.resolvedAt,
    resolved_by: intent.resolvedBy,
    reason: intent.reason,
    ...(intent.erasedAt === null ? {} : { erased_at: intent.erasedAt }),
    ...(intent.askedAgainFrom === null ? {} : { asked_again_from: intent.askedAgainFrom }),
    ...(intent.extensionRequest === null ? {} : { extension_requested: { ...intent.extensionRequest } }),
  };
}

/** An intent on a single read of surface A, with permit and receipt if the caller may have them. */
export function toSurfaceAIntent(view: IntentView): SurfaceAIntent {
  const summary = toSurfaceAIntentSummary(view);
  return {
    ...summary,
    ...(view.permit ? { permit_token: view.permit.token } : {}),
    ...(view.receipt ? { receipt_v2: view.receipt } : {}),
  };
}
