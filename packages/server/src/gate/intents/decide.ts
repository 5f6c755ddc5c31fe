import type { ReceiptApproval } from '@permitry/protocol';
import type { Caller } from '../access/caller.ts';
import { isReviewer, toActor } from '../access/caller.ts';
import { holdsScope } from '../access/scopes.ts';
import type { Agent } from '../agents/agent.ts';
import type { Approval, ApprovalWriter } from '../approvals/approval.ts';
import { peopleBehind } from '../approvals/people-behind.ts';
import type { Quorum } from '../approvals/quorum.ts';
import { type Voter, voterOf } from '../approvals/voter-of.ts';
import { type Vote, weighVote } from '../approvals/weigh-vote.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import { GateError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import {
  assertCurrent,
  retryWhenStale,
  StaleReadError,
  settingsFor,
} from '../project-settings/stale-read.ts';
import { findReadyProof, type ReadyProof } from '../proof/find-proof.ts';
import type { ProofWriter } from '../proof/proof-session.ts';
import { findApprovedLately } from './approved-lately.ts';
import { assertAsShown } from './as-shown.ts';
import { askPolicy, votingTermsOf } from './ask-policy.ts';
import { deniedBefore, policyViolation, toDecisionRefusal } from './decision-refusals.ts';
import { findDeniedLately } from './denied-lately.ts';
import { getIntent } from './find-intent.ts';
import type { CountedApproval, Intent, IntentReader, IntentWriter, Resolution } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';
import { recordApproved, recordDenied, recordVote } from './intent-events.ts';
import { type IntentView, toIntentView } from './intent-view.ts';
import { issueTokens } from './issue-tokens.ts';
import { ownPageRefusal } from './own-page.ts';
import { findIntentAgent } from './policy-request.ts';
import { approvalOf, denialOf, resolved } from './resolution.ts';

export interface DecisionRequest {
  intentId: string;
  decision: 'approve' | 'deny';
  /** The reason of a denial, or the comment on an approval; at most 2000 characters. */
  reason?: string;
  /** A completed proof session of the person, for this intent and this decision; the vote spends it. */
  proofSessionId?: string;
  /** `intent_hash` of what the approver was shown. A person's approval names it (see `mustNameHash`). */
  intentHash?: string;
  /** Given in a list, where nobody reads what was said of an equal request. */
  inList?: true;
}

/** All that one attempt at a decision rests on. */
interface Deliberation {
  gate: IntentDeps;
  caller: Caller;
  intent: Intent;
  settings: ProjectSettings;
  /** The agent the intent runs as, if it is one. */
  agent: Agent | null;
  vote: Vote;
  /** What shows that it is the person who decides, where they were asked for it. */
  proof: ReadyProof | null;
  by: string;
  reason: string | null;
  inList: boolean;
  now: Instant;
}

/**
 * One person's vote. The person is taken from the credential. Records it while the quorum is open, resolves the
 * intent when it is the last approval needed or a denial; a refusal changes nothing.
 */
export async function decideIntent(
  gate: IntentDeps,
  caller: Caller,
  request: DecisionRequest,
): Promise<IntentView> {
  return retryWhenStale(gate, caller, (current) => decideOnce(gate, current, request));
}

async function decideOnce(gate: IntentDeps, caller: Caller, request: DecisionRequest): Promise<IntentView> {
  const intent = await getIntent(gate, caller, request.intentId);
  const { by, ...voter } = identifyVoter(caller, intent);
  assertAsShown(intent, caller, request);
  const settings = await settingsFor(gate, caller, intent.projectId);
  // A vote raises the revision, so an intent as it was made has none.
  const votes = intent.revision === 0 ? [] : await gate.storage.read.listApprovals(intent.id);
  const now = gate.clock.now();
  const agent = await findIntentAgent(settings, intent);
  const asked = askPolicy(settings, intent, agent, now);
  const { outcome } = asked;
  const { intentId, decision, proofSessionId } = request;
  const proof =
    proofSessionId === undefined
      ? null
      : await findReadyProof(gate, caller, { proofSessionId, intentId, decision, now });
  const vote: Vote = { ...voter, decision, method: proof?.method ?? voter.method };
  const { reason = null, inList = false } = request;
  const at: Deliberation = { gate, caller, intent, settings, agent, vote, proof, by, reason, inList, now };
  const verdict = weighVote({
    intent,
    // Fixed when the intent was made and asked again now: the votes meet both.
    terms: votingTermsOf(settings, intent, asked),
    behind: peopleBehind(intent, agent, settings.people),
    policyTier: outcome.proofTier,
    votes,
    vote,
    now,
  });
  switch (verdict.kind) {
    case 'recorded':
      return outcome.effect === 'deny' ? denyByPolicy(at, outcome) : keepOpen(at, votes, verdict.quorum);
    case 'approved':
      return outcome.effect === 'deny' ? denyByPolicy(at, outcome) : approve(at, verdict);
    case 'denied':
      return resolve(at, { ...denialOf(intent, by, now, at.reason), deniedBy: vote.userId });
    default:
      throw toDecisionRefusal(verdict, intent);
  }
}

/** The approver is the person behind the credential: never a name in the request. */
function identifyVoter(caller: Caller, intent: Intent): Voter {
  if (isReviewer(caller) && holdsScope(caller, 'intents:decide', intent.projectId)) return voterOf(caller);
  throw new GateError('forbidden', 'This credential may not decide; approvers decide with their own.', {
    required: 'intents:decide',
  });
}

function ownApproval({ intent, vote, proof, by, now, caller }: Deliberation): Approval {
  return {
    intentId: intent.id,
    userId: vote.userId,
    by,
    decision: vote.decision,
    at: now,
    method: vote.method,
    credentialId: caller.credentialId,
    evidence: proof?.evidence ?? null,
  };
}

/** With the proof that carries it: of two votes that name one proof, the second finds it spent and starts over. */
async function saveOwnVote(at: Deliberation, tx: ApprovalWriter & ProofWriter): Promise<void> {
  if (at.proof && !(await tx.spendProofSession(at.proof.id, at.now))) throw new StaleReadError();
  await tx.saveApproval(ownApproval(at));
}

/**
 * A list says nothing of an equal request, so nobody approves there what was denied or approved lately. Under one lock
 * with every denial and every other approval in a list: of two at the same moment, the second knows of the first.
 */
async function assertNoEqualDecided(
  { gate, intent, vote, inList }: Deliberation,
  tx: IntentReader & IntentWriter,
): Promise<void> {
  if (vote.decision === 'approve' && !inList) return;
  await tx.lockEqual(intent);
  if (vote.decision === 'deny') return;
  const denied = await findDeniedLately(gate, tx, intent);
  const approved = await findApprovedLately(gate, tx, intent);
  // Somebody else decided this very request in the meantime.
  if (denied?.intentId === intent.id || approved?.id === intent.id) throw new StaleReadError();
  if (denied) throw deniedBefore(denied);
  if (approved) throw ownPageRefusal('approved_lately');
}

async function keepOpen(
  at: Deliberation,
  votes: readonly Approval[],
  { received, required }: Quorum,
): Promise<IntentView> {
  const { gate, caller, intent, settings, vote, now } = at;
  // Whoever has to prove more than when they approved approves anew.
  const others = votes.filter(({ userId }) => userId !== vote.userId);
  const approvals = toCounted([...others, ownApproval(at)]);
  return gate.storage.transaction(
    async (tx) => {
      await assertCurrent(gate, tx, caller, settings);
      await assertNoEqualDecided(at, tx);
      // The guard before anything is written: a vote that was overtaken has nothing to undo.
      const progress = { received, required, approvals };
      if (!(await tx.touchIntent(intent.id, intent.revision, now, progress))) throw new StaleReadError();
      await saveOwnVote(at, tx);
      await recordOwnVote(at, tx);
      const after: Intent = {
        ...intent,
        revision: intent.revision + 1,
        approvalsReceived: received,
        approvalsRequired: required,
        approvals,
      };
      return toIntentView(gate, caller, after, null);
    },
    { guarded: true },
  );
}

function toCounted(approvals: readonly Approval[]): CountedApproval[] {
  return approvals.map(({ by, at, method }) => ({ by, at, method }));
}

function toReceiptApproval({ by, at, method, evidence }: Approval): ReceiptApproval {
  if (evidence === null) return { by, at, method };
  return 'jws' in evidence ? { by, at, method, device: evidence } : { by, at, method, passkey: evidence };
}

async function recordOwnVote(at: Deliberation, tx: AfterCommit & AuditWriter): Promise<void> {
  const { gate, caller, intent, vote, now, reason } = at;
  await recordVote(gate, tx, intent, caller, {
    at: now,
    decision: vote.decision,
    method: vote.method,
    comment: vote.decision === 'approve' ? reason : null,
  });
}

async function approve(
  at: Deliberation,
  { counted, slots }: { counted: readonly Approval[]; slots: number },
): Promise<IntentView> {
  const { gate, intent, settings, now } = at;
  const approvals = [...counted, ownApproval(at)];
  // Signed before the transaction and stored by its guarded update: an approved intent always has a permit.
  const issued = await issueTokens(gate, intent, settings, approvals.map(toReceiptApproval), now);
  return resolve(at, approvalOf(at.by, now, toCounted(approvals), slots, issued));
}

async function resolve(at: Deliberation, resolution: Resolution): Promise<IntentView> {
  const { gate, caller, intent, settings, agent } = at;
  const after = resolved(intent, resolution);
  return gate.storage.transaction(
    async (tx) => {
      await assertCurrent(gate, tx, caller, settings);
      await assertNoEqualDecided(at, tx);
      if (!(await tx.resolveIntent(intent.id, intent.revision, resolution))) throw new StaleReadError();
      const record = resolution.status === 'approved' ? recordApproved : recordDenied;
      // In this order, and without waiting in between.
      await Promise.all([
        saveOwnVote(at, tx),
        recordOwnVote(at, tx),
        record(gate, tx, after, toActor(caller)),
      ]);
      tx.afterCommit(() => gate.listeners.wakeups.wake(intent.id));
      return toIntentView(gate, caller, after, agent?.status ?? null);
    },
    { guarded: true },
  );
}

/** Policy came to deny it since it was made: the approval is refused, and the intent recorded as denied. */
async function denyByPolicy(at: Deliberation, outcome: PolicyOutcome): Promise<never> {
  const { gate, caller, intent, settings, now } = at;
  const by = `policy:${outcome.rule ?? 'default'}`;
  const resolution = denialOf(intent, by, now, outcome.reason);
  await gate.storage.transaction(
    async (tx) => {
      await assertCurrent(gate, tx, caller, settings);
      if (!(await tx.resolveIntent(intent.id, intent.revision, resolution))) throw new StaleReadError();
      const actor = { type: 'policy' as const, id: settings.policy.hash, display: by };
      await recordDenied(gate, tx, { ...resolved(intent, resolution), rule: outcome.rule }, actor);
      tx.afterCommit(() => gate.listeners.wakeups.wake(intent.id));
    },
    { guarded: true },
  );
  throw policyViolation(intent.id, outcome.rule, outcome.reason);
}
