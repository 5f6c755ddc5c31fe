import type { JsonObject, ProofTier, RiskTier, SourceType } from '@permitry/protocol';
import { hashJson, intentHash, RISK_TIERS } from '@permitry/protocol';
import type { AgentCaller, Caller, SecretCaller } from '../access/caller.ts';
import { assertGoodStanding } from '../access/standing.ts';
import type { Agent } from '../agents/agent.ts';
import { findUnmeetable } from '../approvals/quorum.ts';
import { GateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { addSeconds } from '../instant.ts';
import { evaluatePolicy } from '../policy/evaluate.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { Transaction } from '../ports.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import { assertSettingsCurrent, retryWhenStale } from '../stale-read.ts';
import type { Intent, Requester } from './intent.ts';
import { recordApproved, recordCreated, recordDenied } from './intent-events.ts';
import { type IntentView, toIntentView } from './intent-view.ts';
import { DEFAULT_PERMIT_TTL_SECONDS, issueTokens } from './issue-tokens.ts';
import { toPolicyRequest } from './policy-request.ts';

const DEFAULT_LIFETIME_SECONDS = 3600;

/** An action declared. What is absent takes the defaults of contract §1 and §4. */
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

interface RequestingParty {
  requester: Requester;
  /** The registered agent it runs as, with its status as of the settings' revision. */
  agent: Pick<Agent, 'id' | 'name' | 'status' | 'riskTier' | 'labels'> | null;
  source: string | null;
  sourceType: SourceType;
}

/**
 * Declares an action: policy answers at once (`approved` with permit and receipt, or `denied`) or people are asked
 * (`pending`). Refuses when the project is stopped, the agent is paused or revoked, or nobody could approve.
 */
export async function submitIntent(gate: Gate, caller: Caller, request: IntentRequest): Promise<IntentView> {
  if (caller.kind !== 'agent' && caller.kind !== 'secret') {
    throw new GateError('forbidden', 'Intents are created with an agent key or a secret key.', {
      required: 'intents:create',
    });
  }
  return retryWhenStale(async (isFirst) => {
    const known = isFirst ? caller.revision : undefined;
    const settings = await gate.projectSettings.current(gate.storage.read, caller.projectId, known);
    const party = await identifyParty(gate, caller, request, settings);
    assertGoodStanding(settings, party.agent);
    const { intent, outcome } = draftIntent(gate, request, party, settings);
    assertMeetable(outcome, settings);
    const born = await settleByPolicy(gate, intent, outcome, settings);
    return gate.storage.transaction(async (tx) => {
      await assertSettingsCurrent(tx, settings);
      await tx.insertIntent(born);
      await recordBirth(gate, tx, caller, born, outcome);
      return toIntentView(gate, caller, born, party.agent?.status ?? null);
    });
  });
}

/** Who asks comes from the credential. A source that names another agent than the key's own is refused. */
async function identifyParty(
  gate: Gate,
  caller: AgentCaller | SecretCaller,
  request: IntentRequest,
  settings: ProjectSettings,
): Promise<RequestingParty> {
  if (caller.kind === 'agent') {
    const { agent } = caller;
    if (request.source !== undefined && request.source !== agent.name && request.source !== agent.id) {
      throw new GateError(
        'forbidden',
        `This key is the agent ${agent.name}; it cannot name another source.`,
        {
          required: 'source',
        },
      );
    }
    return {
      requester: { type: 'agent', id: agent.id, display: agent.name, ownerId: caller.mintedBy },
      agent: caller.revision === settings.revision ? agent : await readAgentAgain(gate, caller),
      source: agent.name,
      sourceType: request.sourceType ?? 'ai_agent',
    };
  }
  const { source = null } = request;
  return {
    requester: { type: 'key', id: caller.credentialId, display: caller.keyName, ownerId: caller.owner.id },
    agent: source === null ? null : await findAgentNamed(gate, caller.projectId, source),
    source,
    sourceType: request.sourceType ?? 'service',
  };
}

async function readAgentAgain(gate: Gate, caller: AgentCaller): Promise<Agent> {
  const agent = await gate.storage.read.findAgent(caller.projectId, caller.agent.id);
  if (!agent) throw new Error(`agent ${caller.agent.id} of a valid key is gone`);
  return agent;
}

/** A source that names a registered agent, by name or id, is that agent; any other is a label. */
async function findAgentNamed(gate: Gate, projectId: string, source: string): Promise<Agent | null> {
  const { read } = gate.storage;
  const found = (await read.findAgentByName(projectId, source)) ?? (await read.findAgent(projectId, source));
  return found ?? null;
}

function higherTier(a: RiskTier, b: RiskTier): RiskTier {
  return RISK_TIERS.indexOf(a) >= RISK_TIERS.indexOf(b) ? a : b;
}

function draftIntent(
  gate: Gate,
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
    // Tiers only rise: a requester cannot go below its agent's default.
    requestedRiskTier: higherTier(request.riskTier ?? 'low', party.agent?.riskTier ?? 'low'),
    requestedProofTier: request.proofTier ?? 'none',
    approvers: request.approvers ?? [],
    minApprovals: request.minApprovals ?? null,
    requester: party.requester,
    agentId: party.agent?.id ?? null,
  };
  const outcome = evaluatePolicy(settings.policy, toPolicyRequest(asked, party.agent, now));
  const id = gate.ids.next('int');
  const expiresAt = addSeconds(now, lifetimeSeconds(request, outcome));
  const { requester, source } = asked;
  return {
    outcome,
    intent: {
      id,
      projectId: settings.projectId,
      ...asked,
      paramsHash: hashJson(asked.params),
      intentHash: intentHash({
        project: settings.projectId,
        intent: id,
        action: asked.action,
        params: asked.params,
        requester: requester.type === 'agent' ? requester.id : `key:${requester.id}`,
        source,
        source_type: asked.sourceType,
        risk_tier: outcome.riskTier,
        metadata: asked.metadata,
        expires_at: expiresAt,
      }),
      riskTier: outcome.riskTier,
      proofTier: outcome.proofTier,
      decision: DECISION_OF[outcome.effect],
      rule: outcome.rule,
      requirement: outcome.requirement,
      policyHash: settings.policy.hash,
      permitTtlSeconds: outcome.permitTtlSeconds ?? DEFAULT_PERMIT_TTL_SECONDS,
      createdAt: now,
      expiresAt,
      status: 'pending',
      approvalsReceived: 0,
      approvalsRequired: outcome.requirement.reduce((places, entry) => places + entry.count, 0),
      revision: 0,
      resolvedAt: null,
      resolvedBy: null,
      reason: null,
      approvedBy: null,
      approvedAt: null,
      approvals: [],
      permit: null,
      receipt: null,
      receiptIndex: null,
      consumedAt: null,
      consumedBy: null,
      revokedAt: null,
      outcome: null,
      outcomeAt: null,
    },
  };
}

const DECISION_OF = {
  allow: 'auto_approve',
  require_approval: 'require_approval',
  deny: 'auto_deny',
} as const;

/** A policy may shorten a request's lifetime, or set it where the request names none; never lengthen it. */
function lifetimeSeconds(request: IntentRequest, outcome: PolicyOutcome): number {
  const asked = request.expiresInSeconds ?? outcome.expiresInSeconds ?? DEFAULT_LIFETIME_SECONDS;
  return Math.min(asked, outcome.expiresInSeconds ?? asked);
}

/** An intent that nobody could ever approve is refused at once instead of being left to expire. */
function assertMeetable(outcome: PolicyOutcome, settings: ProjectSettings): void {
  if (outcome.effect !== 'require_approval') return;
  const approvers = findUnmeetable(outcome.requirement, settings.people);
  if (approvers.length === 0) return;
  throw new GateError(
    'approver_not_found',
    `Nobody can meet this approval requirement. Check these names: ${approvers.join(', ')}.`,
    { approvers },
  );
}

async function settleByPolicy(
  gate: Gate,
  intent: Intent,
  outcome: PolicyOutcome,
  settings: ProjectSettings,
): Promise<Intent> {
  if (outcome.effect === 'require_approval') return intent;
  const by = `policy:${outcome.rule ?? 'default'}`;
  const resolved = { ...intent, revision: 1, resolvedAt: intent.createdAt, resolvedBy: by };
  if (outcome.effect === 'deny') return { ...resolved, status: 'denied', reason: outcome.reason };
  const approvals = [{ by, at: intent.createdAt, method: 'policy' as const }];
  const issued = await issueTokens(gate, intent, settings, approvals, intent.createdAt);
  return {
    ...resolved,
    ...issued,
    status: 'approved',
    approvedBy: by,
    approvedAt: intent.createdAt,
    approvals,
  };
}

async function recordBirth(
  gate: Gate,
  tx: Transaction,
  caller: Caller,
  intent: Intent,
  outcome: PolicyOutcome,
): Promise<void> {
  await recordCreated(gate, tx, caller, intent, outcome);
  if (intent.status === 'pending') return;
  const actor = { type: 'policy' as const, id: intent.policyHash, display: intent.resolvedBy ?? 'policy' };
  if (intent.status === 'approved') await recordApproved(gate, tx, intent, actor);
  else await recordDenied(gate, tx, intent, actor);
}
