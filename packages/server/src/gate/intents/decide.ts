import type { Caller } from '../access/caller.ts';
import { toActor } from '../access/caller.ts';
import { holdsScope } from '../access/scopes.ts';
import type { Approval } from '../approvals/approval.ts';
import { type Verdict, type Vote, weighVote } from '../approvals/weigh-vote.ts';
import { recordEvent } from '../audit/record-event.ts';
import { GateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { evaluatePolicy } from '../policy/evaluate.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import { mergeRequirements } from '../policy/stricter.ts';
import type { Instant, Transaction } from '../ports.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import { assertSettingsCurrent, retryWhenStale, StaleReadError } from '../stale-read.ts';
import { getIntent } from './find-intent.ts';
import type { CountedApproval, Intent, Resolution } from './intent.ts';
import { recordApproved, recordDenied, recordVote } from './intent-events.ts';
import { findAgentStatus, type IntentView, toIntentView } from './intent-view.ts';
import { issueTokens } from './issue-tokens.ts';
import { findIntentAgent, toPolicyRequest } from './policy-request.ts';

export interface DecisionRequest {
  intentId: string;
  decision: 'approve' | 'deny';
  /** The reason of a denial, or the comment on an approval; at most 2000 characters. */
  reason?: string;
}

/** All that one attempt at a decision rests on. */
interface Deliberation {
  gate: Gate;
  caller: Caller;
  intent: Intent;
  settings: ProjectSettings;
  vote: Vote;
  by: string;
  reason: string | null;
  now: Instant;
}

/**
 * One person's vote. The person is taken from the credential. Records it while the quorum is open, resolves the
 * intent when it is the last approval needed or a denial; a refusal changes nothing.
 */
export async function decideIntent(
  gate: Gate,
  caller: Caller,
  request: DecisionRequest,
): Promise<IntentView> {
  try {
    return await retryWhenStale(() => decideOnce(gate, caller, request));
  } catch (error) {
    if (error instanceof GateError && error.code === 'forbidden') {
      await recordRefusal(gate, caller, request);
    }
    throw error;
  }
}

async function decideOnce(gate: Gate, caller: Caller, request: DecisionRequest): Promise<IntentView> {
  const intent = await getIntent(gate, caller, request.intentId);
  const { by, ...voter } = identifyVoter(caller, intent);
  const settings = await gate.projectSettings.current(gate.storage.read, intent.projectId);
  const votes = await gate.storage.read.listApprovals(intent.id);
  const now = gate.clock.now();
  const outcome = evaluatePolicy(
    settings.policy,
    toPolicyRequest(intent, await findIntentAgent(gate, intent), now),
  );
  const vote: Vote = { ...voter, decision: request.decision };
  const at: Deliberation = { gate, caller, intent, settings, vote, by, reason: request.reason ?? null, now };
  const verdict = weighVote({
    intent,
    mode: settings.mode,
    people: settings.people,
    // Fixed when the intent was made and looked at again now: the stricter wins.
    requirement: mergeRequirements(intent.requirement, outcome.requirement),
    votes,
    vote,
    now,
  });
  switch (verdict.kind) {
    case 'recorded':
      return keepOpen(at, verdict.quorum);
    case 'approved':
      if (outcome.effect === 'deny') return denyByPolicy(at, outcome);
      return approve(at, verdict.counted);
    case 'denied':
      return deny(at);
    default:
      throw toRefusal(verdict, intent);
  }
}

/** The approver is the person behind the credential: never a name in the request. */
function identifyVoter(
  caller: Caller,
  intent: Intent,
): Pick<Vote, 'userId' | 'method' | 'byProgram'> & { by: string } {
  if (holdsScope(caller, 'intents:decide', intent.projectId)) {
    if (caller.kind === 'secret') {
      return { userId: caller.owner.id, by: caller.owner.email, method: 'key', byProgram: true };
    }
    if (caller.kind === 'user') {
      return { userId: caller.user.id, by: caller.user.email, method: 'token', byProgram: true };
    }
  }
  throw new GateError('forbidden', 'This credential may not decide; approvers decide with their own.', {
    required: 'intents:decide',
  });
}

function toRefusal(
  verdict: Exclude<Verdict, { kind: 'recorded' | 'approved' | 'denied' }>,
  intent: Intent,
): GateError {
  switch (verdict.kind) {
    case 'already_resolved':
      return new GateError('intent_already_resolved', `This intent is ${verdict.status} already.`, {
        status: verdict.status,
      });
    case 'expired':
      return new GateError(
        'intent_expired',
        `This intent expired at ${intent.expiresAt} and can no longer be decided; create a new one.`,
        { expired_at: intent.expiresAt },
      );
    case 'not_an_approver': {
      const names = [...new Set(intent.requirement.flatMap((entry) => entry.from))].join(', ');
      return new GateError('forbidden', `You are not among those who may decide this intent: ${names}.`, {
        required: names,
      });
    }
    case 'own_request':
      return new GateError(
        'forbidden',
        'In live mode nobody decides what they requested, and no program decides what a program of its owner requested.',
        { required: 'separation_of_duties' },
      );
    case 'already_voted':
      return new GateError('already_voted', 'You have approved this intent already; others must follow.', {});
    case 'proof_required':
      return new GateError(
        'proof_required',
        `Approving this intent takes proof of the tier ${verdict.tier}; a key or token proves no presence.`,
        { proof_tier: verdict.tier, methods: METHODS_FOR[verdict.tier] },
      );
  }
}

const METHODS_FOR = {
  none: [],
  session: ['session', 'device', 'passkey'],
  device: ['device', 'passkey'],
  passkey: ['passkey'],
} as const;

function ownApproval(at: Deliberation): Approval {
  const { intent, vote, by, now, caller } = at;
  return {
    intentId: intent.id,
    userId: vote.userId,
    by,
    decision: vote.decision,
    at: now,
    method: vote.method,
    credentialId: caller.credentialId,
  };
}

async function keepOpen(
  at: Deliberation,
  quorum: { received: number; required: number },
): Promise<IntentView> {
  const { gate, caller, intent, settings, now } = at;
  return gate.storage.transaction(async (tx) => {
    await assertSettingsCurrent(tx, settings);
    await tx.saveApproval(ownApproval(at));
    if (!(await tx.touchIntent(intent.id, intent.revision, now, quorum))) throw new StaleReadError();
    await recordOwnVote(at, tx);
    const after: Intent = {
      ...intent,
      revision: intent.revision + 1,
      approvalsReceived: quorum.received,
      approvalsRequired: quorum.required,
    };
    return toIntentView(gate, caller, after, null);
  });
}

async function recordOwnVote(
  { gate, caller, intent, vote, now, reason }: Deliberation,
  tx: Transaction,
): Promise<void> {
  await recordVote(gate, tx, intent, caller, {
    at: now,
    decision: vote.decision,
    method: vote.method,
    comment: vote.decision === 'approve' ? reason : null,
  });
}

async function approve(at: Deliberation, votes: readonly Approval[]): Promise<IntentView> {
  const { gate, intent, settings, now } = at;
  const approvals: CountedApproval[] = [...votes, ownApproval(at)].map(({ by, at: votedAt, method }) => ({
    by,
    at: votedAt,
    method,
  }));
  // Signed before the transaction and stored by its guarded update: an approved intent always has a permit.
  const { receiptIndex, permit, receipt } = await issueTokens(gate, intent, settings, approvals, now);
  return resolve(at, {
    status: 'approved',
    at: now,
    by: at.by,
    reason: null,
    approvals,
    issued: { permit, receipt, receiptIndex },
  });
}

function deny(at: Deliberation): Promise<IntentView> {
  return resolve(at, {
    status: 'denied',
    at: at.now,
    by: at.by,
    reason: at.reason,
    approvals: [],
    issued: null,
  });
}

async function resolve(at: Deliberation, resolution: Resolution): Promise<IntentView> {
  const { gate, caller, intent, settings } = at;
  const after = resolved(intent, resolution);
  const agentStatus = await findAgentStatus(gate, after);
  return gate.storage.transaction(async (tx) => {
    await assertSettingsCurrent(tx, settings);
    await tx.saveApproval(ownApproval(at));
    if (!(await tx.resolveIntent(intent.id, intent.revision, resolution))) throw new StaleReadError();
    await recordOwnVote(at, tx);
    const record = resolution.status === 'approved' ? recordApproved : recordDenied;
    await record(gate, tx, after, toActor(caller));
    tx.afterCommit(() => gate.wakeups.wake(intent.id));
    return toIntentView(gate, caller, after, agentStatus);
  });
}

/** The intent as its resolution leaves it. */
export function resolved(intent: Intent, resolution: Resolution): Intent {
  const { status, at, by, issued } = resolution;
  return {
    ...intent,
    status,
    revision: intent.revision + 1,
    resolvedAt: at,
    resolvedBy: by,
    reason: resolution.reason,
    approvals: resolution.approvals,
    ...(issued ? { ...issued, approvedBy: by, approvedAt: at } : {}),
  };
}

/** Policy came to deny it since it was made: the approval is refused, and the intent recorded as denied. */
async function denyByPolicy(at: Deliberation, outcome: PolicyOutcome): Promise<never> {
  const { gate, intent, settings, now } = at;
  const by = `policy:${outcome.rule ?? 'default'}`;
  const resolution: Resolution = {
    status: 'denied',
    at: now,
    by,
    reason: outcome.reason,
    approvals: [],
    issued: null,
  };
  await gate.storage.transaction(async (tx) => {
    await assertSettingsCurrent(tx, settings);
    if (!(await tx.resolveIntent(intent.id, intent.revision, resolution))) throw new StaleReadError();
    const actor = { type: 'policy' as const, id: settings.policy.hash, display: by };
    await recordDenied(gate, tx, { ...resolved(intent, resolution), rule: outcome.rule }, actor);
    tx.afterCommit(() => gate.wakeups.wake(intent.id));
  });
  throw policyViolation(intent.id, outcome.rule, outcome.reason);
}

export function policyViolation(intentId: string, rule: string | null, reason: string | null): GateError {
  const sentence = `Policy denies this action${rule === null ? '' : ` by the rule "${rule}"`}.`;
  return new GateError('policy_violation', reason === null ? sentence : `${sentence} ${reason}`, {
    rule,
    reason,
    intent_id: intentId,
  });
}

/** Who tried to decide and might not is kept in the ledger. */
async function recordRefusal(gate: Gate, caller: Caller, request: DecisionRequest): Promise<void> {
  const intent = await gate.storage.read.findIntent(request.intentId);
  if (!intent) return;
  await gate.storage.transaction((tx) =>
    recordEvent(gate, tx, {
      projectId: intent.projectId,
      type: 'access.refused',
      occurredAt: gate.clock.now(),
      actor: toActor(caller),
      intentId: intent.id,
      data: { attempted: request.decision },
    }),
  );
}
