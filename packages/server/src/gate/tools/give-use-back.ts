import type { Actor } from '../access/caller.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { ConnectorRequest } from './connector-request.ts';
import type { ToolDeps } from './tool-deps.ts';

/** One use of an approval by a run of this gate. */
export interface ApprovalUse {
  permitId: string;
  /**
   * The intent's revision after this use. A later use has another one, even by the same gate for the same request.
   */
  revision: number;
}

/**
 * Undoes a use for which nothing was certainly sent: the intent, the request and the event together. Both are then as
 * before the use, and one later use wins. Calling it twice is harmless.
 *
 * @returns false if there is nothing to undo: the use was undone already, its run was considered lost, or the
 * approval was revoked or erased since
 */
export async function giveUseBack(
  gate: ToolDeps,
  { id, projectId, intentId, leasedBy }: ConnectorRequest,
  { use, reason, actor }: { use: ApprovalUse; reason: string; actor: Actor },
): Promise<boolean> {
  return gate.storage.transaction(
    async (tx) => {
      // Locks the intent first, as claiming and settling do.
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

/** The request after its use was undone. */
export function asReleased(request: ConnectorRequest): ConnectorRequest {
  return { ...request, state: 'pending', ranBy: null, leasedBy: null, leasedUntil: null };
}
