/**
 * Owns what a gate does first when it is made out of a backup. The copy cannot know what was used, revoked or issued
 * after it was taken, so nothing that could have been used may be used again, and no number is given out twice.
 */
import { type Caller, toActor } from '../../gate/access/caller.ts';
import { recordEvent } from '../../gate/audit/record-event.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { addSeconds, type Instant } from '../../gate/kernel/instant.ts';
import { assertOperator } from '../../gate/projects/create-project.ts';
import { firstIndexOfStatusList } from '../../gate/tokens/status-slot.ts';
import type { RestoreDeps } from './restore-deps.ts';

/** A permit outlives its intent's own time by an hour at most; a day leaves room for clocks that disagree. */
const MARGIN_SECONDS = 24 * 3600;

export interface RestoredProject {
  projectId: string;
  name: string;
  /** Approvals that could still have been used when the copy was taken, and now cannot. */
  approvalsRevoked: number;
  /** Intents that wait for a decision, as they did when the copy was taken. */
  pending: number;
}

/**
 * Takes back every approval that may have been used since the copy was taken, signs everybody out, ends links and
 * invitations, stops every project until somebody has looked at it, starts a status list that no earlier receipt stands
 * in, and says so in every ledger.
 *
 * What was consumed stays consumed. Permits that the copy has never heard of are refused as it is: their intent is
 * not there, or not approved, or not by that permit.
 *
 * @param input.copiedAt When the copy was taken; everything acknowledged before is in it.
 * @throws GateError `conflict` when this machine's clock stands before that moment: what had expired would not have
 */
export async function declareRestored(
  gate: RestoreDeps,
  caller: Caller,
  { copiedAt }: { copiedAt: Instant },
): Promise<readonly RestoredProject[]> {
  const operator = assertOperator(caller);
  const now = gate.clock.now();
  if (now < copiedAt) {
    throw new GateError(
      'conflict',
      `It is ${now} here, before the copy was taken at ${copiedAt}; set the clock.`,
      {},
    );
  }
  return gate.storage.transaction(async (tx) => {
    // A list for every second since 1970: no history, lost or kept, reaches it by counting.
    await tx.bumpReceiptStatusRevision();
    await tx.skipToReceiptIndex(firstIndexOfStatusList(Math.floor(Date.parse(now) / 1000)));
    await tx.endEveryWayBack(now);
    const restored: RestoredProject[] = [];
    for (const project of await tx.listProjects()) {
      const approvalsRevoked = await tx.revokeUnusedApprovals(project.id, {
        endedBy: addSeconds(copiedAt, -MARGIN_SECONDS),
        revokedAt: now,
      });
      const pending = await tx.countPendingIntents(project.id);
      const wasRunning = await tx.setProjectStopped(project.id, now);
      await tx.bumpProjectRevision(project.id);
      const event = { projectId: project.id, occurredAt: now, actor: toActor(operator) };
      await recordEvent(gate, tx, {
        ...event,
        type: 'project.restored',
        data: { copied_at: copiedAt, approvals_revoked: approvalsRevoked, pending },
      });
      if (wasRunning) await recordEvent(gate, tx, { ...event, type: 'project.stopped' });
      restored.push({ projectId: project.id, name: project.name, approvalsRevoked, pending });
    }
    return restored;
  });
}
