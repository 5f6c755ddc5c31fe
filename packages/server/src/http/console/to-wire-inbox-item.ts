import type { InboxItem as WireInboxItem } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { InboxItem } from '../../gate/inbox/inbox.ts';
import { toWireDenial } from './to-wire-denial.ts';

/** An item never contains the permit or all parameters: people read the parameters on the request's own page. */
export function toWireInboxItem(item: InboxItem): Static<typeof WireInboxItem> {
  const { intent, standing } = item;
  return {
    id: intent.id,
    project_id: intent.projectId,
    project_name: item.projectName,
    mode: item.mode,
    status: intent.status,
    action: intent.action,
    params_preview: { ...item.params },
    params_hash: intent.paramsHash,
    intent_hash: intent.intentHash,
    risk_tier: intent.riskTier,
    risk_rated: intent.riskRated,
    proof_tier: intent.proofTier,
    source: intent.source,
    source_type: intent.sourceType,
    requester: {
      type: intent.requester.type,
      id: intent.requester.id,
      display: intent.requester.display,
    },
    words: item.words && { ...item.words },
    rule: intent.rule,
    created_at: intent.createdAt,
    expires_at: intent.expiresAt,
    resolved_at: intent.resolvedAt,
    resolved_by: intent.resolvedBy,
    reason: intent.reason,
    erased_at: intent.erasedAt,
    approvals: intent.approvals.map(({ by, at, method }) => ({ by, at, method })),
    approvals_required: item.approvals.required,
    approvals_received: item.approvals.received,
    missing: item.missing.map(({ from, count, who, more }) => ({
      from: [...from],
      count,
      who: [...who],
      more,
    })),
    denied_lately: toWireDenial(item.deniedLately),
    policy_changed: item.policyChanged,
    project_stopped: item.isStopped,
    agent_status: item.agentStatus,
    asked_of: [...intent.approvers],
    can_decide: standing.canDecide,
    in_place: standing.canDecide && standing.inPlace && item.ownPage === null,
    own_page: item.ownPage,
    why_not: standing.canDecide ? null : standing.whyNot,
  };
}
