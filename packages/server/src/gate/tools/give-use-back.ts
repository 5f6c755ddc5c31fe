import type { Actor } from '../access/caller.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { ConnectorRequest } from './connector-request.ts';
import type { ToolDeps } from './tool-deps.ts';

/** One use of an approval by a run of this gate. */
export interface ApprovalUse {
  permitId: string;
  /**
   * The intent's revision after this use. A later use has another revision, even by the same gate for the same request.
   */
  revision: number;
}

/**
 * Undoes a use after which certainly nothing was sent. Intent and request return to their state before the use, and the
 * event is recorded, in one transaction. Then one later use can succeed. A second call changes nothing.
 *
 * @returns false if there is nothing to undo: the use was undone already, its run was considered lost, or the approval
 * was revoked or erased since
 */
export async function giveUseBack(
  gate: ToolDeps,
  { id, projectId, intentId, leasedBy }: ConnectorRequest,
  { use, reason, actor }: { use: ApprovalUse; reason: string; actor: Actor },
): Promise<boolean> {
  return gate.storage.transaction(
    async (tx) => {
      // Locks the intent first, because claiming and settling do the same.
      if (!(await tx.releaseIntent(intentId, id, use.revision))) return false;
      if (!(await tx.releaseConnectorRequest(id, leasedBy ?? '')))
        throw new Error(`${id} is not run by this gate`);
      await recordEvent(gate, tx, {
        projectId,
        type: 'permit.released',
        occurredAt: gate.clock.now(),
        actor,
        intentId,
        data: { permit_id: use.permitId, reason, connector_request_id: id },
      });
      tx.afterCommit(() => gate.listeners.wakeups.wake(id));
      return true;
    },
    { guarded: true },
  );
}

/** The request after the gate undid its use. */
export function asReleased(request: ConnectorRequest): ConnectorRequest {
  return { ...request, state: 'pending', ranBy: null, leasedBy: null, leasedUntil: null };
}
