import type { ReceiptApproval } from '@permitry/protocol';
import { type Caller, isReviewer } from '../access/caller.ts';
import { holdsScope } from '../access/scopes.ts';
import type { Approval } from '../approvals/approval.ts';
import { type Voter, voterOf } from '../approvals/voter-of.ts';
import { GateError } from '../kernel/errors.ts';
import { retryWhenStale, settingsFor } from '../project-settings/stale-read.ts';
import { findReadyProof } from '../proof/find-proof.ts';
import { assertAsShown, type DecisionAsShown } from './as-shown.ts';
import { policyViolation, toDecisionRefusal } from './decision-refusals.ts';
import { getIntent } from './find-intent.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';
import type { IntentView } from './intent-view.ts';
import { issueTokens } from './issue-tokens.ts';
import { findIntentAgent } from './policy-request.ts';
import { approvalOf, toCounted } from './resolution.ts';
import { type Decision, type Deliberation, weighDecision } from './weigh-decision.ts';
import { type SignedDecision, writeDecision } from './write-decision.ts';

export interface DecisionRequest extends DecisionAsShown {
  intentId: string;
  /** The reason of a denial, or the comment on an approval; at most 2000 characters. */
  reason?: string;
  /** The decision was made in a list, which does not show earlier decisions on an equal request. */
  inList?: true;
}

/**
 * Casts one person's vote. The person comes from the credential. Records the vote while the quorum is incomplete. The
 * last approval needed, or a denial, resolves the intent. A refusal changes nothing.
 */
export function decideIntent(
  gate: IntentDeps,
  caller: Caller,
  request: DecisionRequest,
): Promise<IntentView> {
  return retryWhenStale(gate, caller, (current) => decideOnce(gate, current, request));
}

async function decideOnce(gate: IntentDeps, caller: Caller, request: DecisionRequest): Promise<IntentView> {
  const at = await gather(gate, caller, request);
  const decision = weighDecision(at);
  if (decision.kind === 'refused') throw toDecisionRefusal(decision.verdict, at.intent);
  const signed = decision.kind === 'approved' ? await sign(gate, at, decision) : decision;
  const view = await writeDecision(gate, at, signed);
  if (decision.kind !== 'denied_by_policy') return view;
  throw policyViolation(at.intent.id, decision.rule, decision.resolution.reason);
}

async function gather(gate: IntentDeps, caller: Caller, request: DecisionRequest): Promise<Deliberation> {
  const { intentId, decision, proofSessionId, reason = null, inList = false } = request;
  const intent = await getIntent(gate, caller, intentId);
  const voter = identifyVoter(caller, intent);
  assertAsShown(intent, caller, request);
  const settings = await settingsFor(gate, caller, intent.projectId);
  // Each vote raises the revision, so an intent at revision 0 has no votes.
  const votes = intent.revision === 0 ? [] : await gate.storage.read.listApprovals(intentId);
  const now = gate.clock.now();
  const agent = await findIntentAgent(settings, intent);
  const proof =
    proofSessionId === undefined
      ? null
      : await findReadyProof(gate, caller, { proofSessionId, intentId, decision, now });
  const vote = {
    ...voter,
    intentId,
    decision,
    at: now,
    method: proof?.method ?? voter.method,
    credentialId: caller.credentialId,
    evidence: proof?.evidence ?? null,
  };
  return { caller, intent, settings, agent, votes, vote, proofId: proof?.id ?? null, reason, inList };
}

/** The approver is the person behind the credential, never a name in the request. */
function identifyVoter(caller: Caller, intent: Intent): Voter {
  if (isReviewer(caller) && holdsScope(caller, 'intents:decide', intent.projectId)) return voterOf(caller);
  throw new GateError(
    'forbidden',
    'This credential cannot decide. Approvers decide with their own credentials.',
    {
      required: 'intents:decide',
    },
  );
}

/** Signed before the transaction, whose guarded update stores the tokens. So an approved intent always has a permit. */
async function sign(
  gate: IntentDeps,
  { intent, settings, vote }: Deliberation,
  decision: Extract<Decision, { kind: 'approved' }>,
): Promise<SignedDecision> {
  const { approvals, slots } = decision;
  const issued = await issueTokens(gate, intent, settings, approvals.map(toReceiptApproval), vote.at);
  return { kind: 'approved', resolution: approvalOf(vote.by, vote.at, toCounted(approvals), slots, issued) };
}

function toReceiptApproval({ by, at, method, evidence }: Approval): ReceiptApproval {
  if (evidence === null) return { by, at, method };
  return 'jws' in evidence ? { by, at, method, device: evidence } : { by, at, method, passkey: evidence };
}
