import type { Actor } from '../access/caller.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { ConnectorRequest } from './connector-request.ts';
import type { ToolDeps } from './tool-deps.ts';

/** One use of an approval by a run of this gate. */
export interface ApprovalUse {
  permitId: string;
  /** Of the intent, as this use left it: a later use has another, also by the same gate for the same request. */
  revision: number;
}

/**
 * Undoes a use of which certainly nothing was sent: the intent, the request and the event together. Both are then as they
 * were before the use, and one later use wins. Repeating it does no harm.
 *
 * @returns false when the use is not there to be given back: it was, its run was taken for lost, or the approval was
 * revoked or erased since
 */
export async function giveUseBack(
  gate: ToolDeps,
  { id, projectId, intentId, leasedBy }: ConnectorRequest,
  { use, reason, actor }: { use: ApprovalUse; reason: string; actor: Actor },
): Promise<boolean> {
  return gate.storage.transaction(
    async (tx) => {
      // The intent first, as claiming and settling do.
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

/** A request as it is once its use was given back. */
export function asReleased(request: ConnectorRequest): ConnectorRequest {
  return { ...request, state: 'pending', ranBy: null, leasedBy: null, leasedUntil: null };
}
