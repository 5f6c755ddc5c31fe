import type { ConsoleIntent } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { namesAsked } from '../../gate/approvals/missing.ts';
import type { IntentForPerson } from '../../gate/intents/read-for-person.ts';
import { whatIsHashed } from '../../gate/intents/what-is-hashed.ts';
import { toWireDenial } from './to-wire-denial.ts';

type WireIntent = Static<typeof ConsoleIntent>;

/** The result contains the parameters once, as the text that was hashed, and never a permit. */
export function toConsoleIntent(read: IntentForPerson, userId: string): WireIntent {
  const { intent, settings, standing } = read;
  const { params: _asText, ...hashed } = whatIsHashed(intent);
  return {
    id: intent.id,
    project: {
      id: settings.projectId,
      name: settings.name,
      mode: settings.mode,
      stopped: settings.stoppedAt !== null,
    },
    status: intent.status,
    decision: intent.decision,
    hashed,
    risk_rated: intent.riskRated,
    canonical_params: read.canonicalParams,
    params_hash: intent.paramsHash,
    intent_hash: intent.intentHash,
    requester: toRequester(read),
    approval_url: read.approvalUrl,
    created_at: intent.createdAt,
    expires_at: intent.expiresAt,
    resolved_at: intent.resolvedAt,
    resolved_by: intent.resolvedBy,
    reason: intent.reason,
    withdrawn: intent.status === 'denied' && intent.reason === 'withdrawn',
    erased_at: intent.erasedAt,
    policy: toPolicy(read),
    approvals_required: read.quorum.required,
    approvals_received: read.quorum.received,
    requirement: read.requirement.map((entry) => ({
      from: [...namesAsked(entry, settings.people)],
      count: entry.count,
      programs: entry.programs === true,
    })),
    asked_of: [...intent.approvers],
    missing: read.missing.map(({ from, count, who, more }) => ({
      from: [...from],
      count,
      who: [...who],
      more,
    })),
    votes: read.votes.map(({ by, decision, at, method, userId: voter }) => ({
      by,
      mine: voter === userId,
      decision,
      at,
      method,
    })),
    can_approve: standing.canDecide,
    can_deny: read.mayDeny,
    why_not: standing.canDecide ? null : standing.whyNot,
    proof: { tier: read.proofTier, has_passkey: read.hasPasskey },
    permit: {
      lifetime_seconds: intent.permitTtlSeconds,
      expires_at: intent.permit?.expiresAt ?? null,
      used_at: intent.consumedAt,
      revoked_at: intent.revokedAt,
    },
    outcome: intent.outcome,
    outcome_at: intent.outcomeAt,
    receipt: read.receipt,
    previous: toPrevious(read),
    approved_lately: toApprovedLately(read),
    denied_lately: toWireDenial(read.deniedLately),
    extension_requested: intent.extensionRequest && { ...intent.extensionRequest },
    can_ask_to_extend: read.mayAskToExtend,
    asked_again_from: intent.askedAgainFrom,
    asked_again_as: read.askedAgainAs,
    can_ask_again: read.mayAskAgain,
  };
}

function toRequester({ intent, agent }: IntentForPerson): WireIntent['requester'] {
  const { type, id, display } = intent.requester;
  return { type, id, display, agent: agent && { id: agent.id, name: agent.name, status: agent.status } };
}

function toPolicy({ intent, settings, outcome }: IntentForPerson): WireIntent['policy'] {
  return {
    rule: intent.rule,
    reason: outcome && outcome.rule === intent.rule ? outcome.reason : null,
    effect: outcome?.effect ?? null,
    changed: outcome !== null && settings.policy.hash !== intent.policyHash,
  };
}

function toPrevious({ previous }: IntentForPerson): WireIntent['previous'] {
  if (!previous) return null;
  const { intent, canonicalParams } = previous;
  return {
    id: intent.id,
    approved_at: intent.approvedAt ?? intent.createdAt,
    approved_by: intent.approvedBy ?? '',
    canonical_params: canonicalParams,
    params_hash: intent.paramsHash,
  };
}

function toApprovedLately({ approvedLately: found }: IntentForPerson): WireIntent['approved_lately'] {
  if (!found) return null;
  return {
    id: found.id,
    approved_at: found.approvedAt ?? found.createdAt,
    used_at: found.consumedAt,
    revoked_at: found.revokedAt,
    outcome: found.outcome,
  };
}
