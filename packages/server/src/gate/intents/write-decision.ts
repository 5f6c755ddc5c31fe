/** Writes the effect of a vote: the intent, the vote and its audit events, together or not at all. */
import { type Actor, toActor } from '../access/caller.ts';
import type { ApprovalWriter } from '../approvals/approval.ts';
import { assertCurrent, StaleReadError } from '../project-settings/stale-read.ts';
import type { ProofWriter } from '../proof/proof-session.ts';
import { findApprovedLately } from './approved-lately.ts';
import { deniedBefore } from './decision-refusals.ts';
import { findDeniedLately } from './denied-lately.ts';
import type { IntentReader, IntentWriter, Resolution } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';
import { recordApproved, recordDenied, recordVote } from './intent-events.ts';
import { type IntentView, toIntentView } from './intent-view.ts';
import { ownPageRefusal } from './own-page.ts';
import { resolved, voted } from './resolution.ts';
import type { Decision, Deliberation } from './weigh-decision.ts';

/** The decisions that write something. An approval is signed. */
export type SignedDecision =
  | Exclude<Decision, { kind: 'approved' | 'refused' }>
  | { kind: 'approved'; resolution: Resolution };

/** @throws StaleReadError when a concurrent change came first */
export async function writeDecision(
  gate: IntentDeps,
  at: Deliberation,
  decision: SignedDecision,
): Promise<IntentView> {
  const { caller, intent, settings, agent, vote, reason } = at;
  const byPolicy = decision.kind === 'denied_by_policy';
  const actor: Actor = byPolicy
    ? { type: 'policy', id: settings.policy.hash, display: decision.resolution.by }
    : toActor(caller);
  const comment = vote.decision === 'approve' ? reason : null;
  const after =
    decision.kind === 'recorded' ? voted(intent, decision.progress) : resolved(intent, decision.resolution);
  return gate.storage.transaction(
    async (tx) => {
      await assertCurrent(gate, tx, caller, settings);
      if (!byPolicy) await assertNoEqualDecided(gate, tx, at);
      // The guarded update comes before all other writes, so a vote that came too late has nothing to undo.
      const isFirst =
        decision.kind === 'recorded'
          ? await tx.touchIntent(intent.id, intent.revision, vote.at, decision.progress)
          : await tx.resolveIntent(intent.id, intent.revision, decision.resolution);
      if (!isFirst) throw new StaleReadError();
      if (!byPolicy) {
        await saveVote(tx, at);
        await recordVote(gate, tx, intent, caller, { ...vote, comment });
      }
      if (after.status === 'approved') await recordApproved(gate, tx, after, actor);
      if (after.status === 'denied') {
        await recordDenied(gate, tx, byPolicy ? { ...after, rule: decision.rule } : after, actor);
      }
      if (after.status !== 'pending') tx.afterCommit(() => gate.listeners.wakeups.wake(intent.id));
      return toIntentView(gate, caller, after, agent?.status ?? null);
    },
    { guarded: true },
  );
}

/**
 * A row of a list does not say that an equal request was decided. So nobody can approve a request in a list after an equal one was denied or
 * approved lately. Denials, and approvals in a list, take one lock. So the second of two simultaneous decisions sees the first.
 */
async function assertNoEqualDecided(
  gate: IntentDeps,
  tx: IntentReader & IntentWriter,
  { intent, vote, inList }: Deliberation,
): Promise<void> {
  if (vote.decision === 'approve' && !inList) return;
  await tx.lockEqual(intent);
  if (vote.decision === 'deny') return;
  const denied = await findDeniedLately(gate, tx, intent);
  const approved = await findApprovedLately(gate, tx, intent);
  // Another person has decided this same request in the meantime.
  if (denied?.intentId === intent.id || approved?.id === intent.id) throw new StaleReadError();
  if (denied) throw deniedBefore(denied);
  if (approved) throw ownPageRefusal('approved_lately');
}

/** Saves the vote with its proof. If two votes name one proof, the second vote finds the proof used and starts over. */
async function saveVote(tx: ApprovalWriter & ProofWriter, { vote, proofId }: Deliberation): Promise<void> {
  if (proofId !== null && !(await tx.spendProofSession(proofId, vote.at))) throw new StaleReadError();
  await tx.saveApproval(vote);
}
