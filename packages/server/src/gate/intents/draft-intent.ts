import type { JsonObject, ProofTier, RiskTier, SourceType } from '@permitry/protocol';
import { canonicalJson, hashCanonical, intentHash } from '@permitry/protocol';
import { countSlots, type Requirement } from '../approvals/requirement.ts';
import { addSeconds } from '../kernel/instant.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import { askPolicy } from './ask-policy.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';
import { DEFAULT_PERMIT_TTL_SECONDS } from './issue-tokens.ts';
import { higherTier } from './policy-request.ts';
import type { RequestingParty } from './requesting-party.ts';
import { whatIsHashed } from './what-is-hashed.ts';

const DEFAULT_LIFETIME_SECONDS = 3600;

/** A declared action. Omitted members take the defaults of contract §1 and §4. */
export interface IntentRequest {
  action: string;
  params: JsonObject;
  metadata?: JsonObject;
  source?: string;
  sourceType?: SourceType;
  riskTier?: RiskTier;
  proofTier?: ProofTier;
  approvers?: readonly string[];
  minApprovals?: number;
  expiresInSeconds?: number;
}

/** The intent as it would be created, still pending, and the policy's outcome for it. */
export function draftIntent(
  gate: Pick<IntentDeps, 'clock' | 'ids'>,
  request: IntentRequest,
  party: RequestingParty,
  settings: ProjectSettings,
): { intent: Intent; outcome: PolicyOutcome } {
  const now = gate.clock.now();
  const asked = {
    action: request.action,
    params: request.params,
    metadata: request.metadata ?? {},
    source: party.source,
    sourceType: party.sourceType,
    // Risk and proof tiers only rise: a request cannot go below its agent's default.
    requestedRiskTier: higherTier(request.riskTier ?? 'low', party.agent?.riskTier ?? 'low'),
    requestedProofTier: request.proofTier ?? 'none',
    approvers: request.approvers ?? [],
    minApprovals: request.minApprovals ?? null,
    requester: party.requester,
    agentId: party.agent?.id ?? null,
  };
  const { outcome, requirement } = askPolicy(settings, asked, party.agent, now);
  const hashed = {
    id: gate.ids.next('int'),
    projectId: settings.projectId,
    ...asked,
    riskTier: outcome.riskTier,
    expiresAt: addSeconds(now, lifetimeSeconds(request, outcome)),
  };
  const canonicalParams = canonicalJson(asked.params);
  return {
    outcome,
    intent: {
      ...hashed,
      paramsHash: hashCanonical(canonicalParams),
      intentHash: intentHash(whatIsHashed(hashed), canonicalParams),
      proofTier: outcome.proofTier,
      // An agent registered without a tier has `low`, which is not a rating.
      riskRated: request.riskTier !== undefined || outcome.ratesRisk || outcome.riskTier !== 'low',
      decision: DECISION_OF[outcome.effect],
      rule: outcome.rule,
      requirement,
      policyHash: settings.policy.hash,
      permitTtlSeconds: outcome.permitTtlSeconds ?? DEFAULT_PERMIT_TTL_SECONDS,
      createdAt: now,
      askedAgainFrom: null,
      askedBy: null,
      status: 'pending',
      approvalsReceived: 0,
      approvalsRequired: slotsOf(requirement, asked.minApprovals),
      revision: 0,
      resolvedAt: null,
      resolvedBy: null,
      reason: null,
      approvedBy: null,
      approvedAt: null,
      approvals: [],
      extensionRequest: null,
      permit: null,
      receipt: null,
      receiptIndex: null,
      consumedAt: null,
      consumedBy: null,
      revokedAt: null,
      outcome: null,
      outcomeAt: null,
      erasedAt: null,
    },
  };
}

function slotsOf(requirement: Requirement, minApprovals: number | null): number {
  return requirement.length === 0 ? 0 : Math.max(countSlots(requirement), minApprovals ?? 0);
}

const DECISION_OF = {
  allow: 'auto_approve',
  require_approval: 'require_approval',
  deny: 'auto_deny',
} as const;

/**
 * A policy may shorten a request's lifetime, or set the lifetime if the request names none. A policy never lengthens
 * it.
 */
function lifetimeSeconds(request: IntentRequest, outcome: PolicyOutcome): number {
  const asked = request.expiresInSeconds ?? outcome.expiresInSeconds ?? DEFAULT_LIFETIME_SECONDS;
  return Math.min(asked, outcome.expiresInSeconds ?? asked);
}
