/**
 * The first step of a gate restored from a backup. The copy cannot know what was used, revoked or issued after it was
 * taken. So nothing that may have been used can be used again, and no number is issued twice.
 */
import { type Caller, toActor } from '../../gate/access/caller.ts';
import { recordEvent } from '../../gate/audit/record-event.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { addSeconds, type Instant } from '../../gate/kernel/instant.ts';
import { assertOperator } from '../../gate/projects/create-project.ts';
import { firstIndexOfStatusList } from '../../gate/tokens/status-slot.ts';
import type { RestoreDeps } from './restore-deps.ts';

/** A permit outlives its intent's expiry by an hour at most. A day leaves room for clocks that disagree. */
const MARGIN_SECONDS = 24 * 3600;

export interface RestoredProject {
  projectId: string;
  name: string;
  /** Approvals that could still be used when the copy was taken, and are now revoked. */
  approvalsRevoked: number;
  /** Intents that were pending when the copy was taken, and still are. */
  pending: number;
}

/**
 * Revokes every approval that may have been used since the copy was taken. Signs everyone out and ends links and
 * invitations. Stops every project until a person has checked it. Starts a status list that contains no earlier
 * receipt. Records all this in every audit log.
 * Used permits stay used. Permits that the copy does not know are refused anyway: their intent does not exist, is not
 * approved, or was approved with another permit.
 * @param input.copiedAt When the copy was taken. The copy contains everything acknowledged before that time.
 * @throws GateError `conflict` when this machine's clock is before that time: expired things would be valid again
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
      `This machine’s clock says ${now}, which is before the copy was taken at ${copiedAt}. Set the clock.`,
      {},
    );
  }
  return gate.storage.transaction(async (tx) => {
    // Skips to the list whose number is the seconds since 1970. No gate reaches that index by counting, not even in a
    // part of its history that was lost.
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
