/** Owns what the audit log keeps about an intent: hashes and names of rules, never parameters or tokens. */

import type { ApprovalMethod } from '@permitry/protocol';
import type { Actor } from '../access/caller.ts';
import { type Caller, toActor } from '../access/caller.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Instant } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { IssuedPermit } from '../tokens/issue-permit.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

export function recordCreated(
  gate: Pick<IntentDeps, 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter,
  caller: Caller,
  intent: Intent,
  outcome: PolicyOutcome,
): Promise<void> {
  return recordEvent(gate, tx, {
    projectId: intent.projectId,
    type: 'intent.created',
    occurredAt: intent.createdAt,
    actor: toActor(caller),
    intentId: intent.id,
    data: {
      action: intent.action,
      params_hash: intent.paramsHash,
      intent_hash: intent.intentHash,
      source: intent.source,
      source_type: intent.sourceType,
      risk_tier: intent.riskTier,
      proof_tier: intent.proofTier,
      decision: intent.decision,
      rule: intent.rule,
      policy_hash: intent.policyHash,
      approvals_required: intent.approvalsRequired,
      expires_at: intent.expiresAt,
      ...(intent.askedAgainFrom === null ? {} : { asked_again_from: intent.askedAgainFrom }),
      ...(outcome.failures.length > 0
        ? { failed_conditions: outcome.failures.map((failure) => failure.rule) }
        : {}),
    },
    // A registered agent's name is not personal. A service may put a person's name into its source.
    personal: intent.source !== null && intent.requester.type === 'key' ? ['/data/source'] : [],
  });
}

/** Records one person's vote, an approval or denial. */
export function recordVote(
  gate: Pick<IntentDeps, 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter,
  intent: Intent,
  caller: Caller,
  vote: { at: Instant; decision: 'approve' | 'deny'; method: ApprovalMethod; comment: string | null },
): Promise<void> {
  return recordEvent(gate, tx, {
    projectId: intent.projectId,
    type: 'approval.recorded',
    occurredAt: vote.at,
    actor: toActor(caller),
    intentId: intent.id,
    data: { decision: vote.decision, method: vote.method, comment: vote.comment },
    personal: vote.comment === null ? [] : ['/data/comment'],
  });
}

/** Records the approval and its permit. `intent`: its state after the approval. */
export async function recordApproved(
  gate: IntentDeps,
  tx: AfterCommit & AuditWriter,
  intent: Intent,
  actor: Actor,
): Promise<void> {
  if (!intent.permit || !intent.receipt || intent.approvedAt === null) {
    throw new Error('an approved intent has a permit and a receipt');
  }
  await recordEvent(gate, tx, {
    projectId: intent.projectId,
    type: 'intent.approved',
    occurredAt: intent.approvedAt,
    actor,
    intentId: intent.id,
    data: {
      methods: intent.approvals.map((approval) => approval.method),
      policy_hash: intent.receipt.policy_hash,
      receipt_id: intent.receipt.receipt_id,
    },
  });
  await recordPermitIssued(gate, tx, intent, intent.permit, actor);
  gate.listeners.resolutions.notifyAfter(tx, intent, actor);
}

export function recordPermitIssued(
  gate: Pick<IntentDeps, 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter,
  intent: Intent,
  permit: IssuedPermit,
  actor: Actor,
): Promise<void> {
  return recordEvent(gate, tx, {
    projectId: intent.projectId,
    type: 'permit.issued',
    occurredAt: permit.issuedAt,
    actor,
    intentId: intent.id,
    data: { permit_id: permit.id, expires_at: permit.expiresAt, params_hash: intent.paramsHash },
  });
}

/** Records the use of a permit. */
export function recordPermitConsumed(
  gate: Pick<IntentDeps, 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter,
  intent: Intent,
  permitId: string,
  actor: Actor,
  at: Instant,
): Promise<void> {
  return recordEvent(gate, tx, {
    projectId: intent.projectId,
    type: 'permit.consumed',
    occurredAt: at,
    actor,
    intentId: intent.id,
    data: { permit_id: permitId, params_hash: intent.paramsHash },
  });
}

/** `intent`: its state after the denial. */
export async function recordDenied(
  gate: IntentDeps,
  tx: AfterCommit & AuditWriter,
  intent: Intent,
  actor: Actor,
): Promise<void> {
  await recordEvent(gate, tx, {
    projectId: intent.projectId,
    type: 'intent.denied',
    occurredAt: intent.resolvedAt ?? intent.createdAt,
    actor,
    intentId: intent.id,
    data: { reason: intent.reason, rule: actor.type === 'policy' ? intent.rule : null },
    personal: intent.reason === null ? [] : ['/data/reason'],
  });
  gate.listeners.resolutions.notifyAfter(tx, intent, actor);
}
