/** Owns what a list may not approve because of the request itself: not all of it is seen there, or it is something new. */
import { type RowObstacle, rowObstacle } from '@permitry/protocol/list-row';
import type { Gate } from '../gate.ts';
import { approvedSince } from '../intents/approved-lately.ts';
import type { Intent } from '../intents/intent.ts';

/**
 * `first_approval`: people have not approved this action in this project before. `approved_lately`: they approved an
 * identical request a short while ago, which a list does not say beside its buttons (threat 27).
 */
export type OwnPage = RowObstacle | 'first_approval' | 'approved_lately';

/** What earlier approvals say of a request: `never` and `lately` keep it out of a list. */
export type WasApproved = (
  intent: Pick<Intent, 'projectId' | 'action' | 'paramsHash'>,
) => Promise<'never' | 'before' | 'lately'>;

/** Why the request is approved on its own page only. Where it takes more proof or weighs more: see `isDecidedInPlace`. */
export async function findOwnPage(intent: Intent, wasApproved: WasApproved): Promise<OwnPage | null> {
  const { action, params, metadata, source, requester } = intent;
  const names = [requester.display, ...(source === null ? [] : [source])];
  const obstacle = rowObstacle({ action, params, metadata, names });
  if (obstacle !== undefined) return obstacle;
  return OWN_PAGE_OF[await wasApproved(intent)];
}

const OWN_PAGE_OF = { never: 'first_approval', before: null, lately: 'approved_lately' } as const;

/** Asks once for each action, and each of its parameters, of a list, however many rows it has. */
export function wasApprovedOnce(gate: Gate): WasApproved {
  const { read } = gate.storage;
  const asked = new Map<string, Promise<boolean>>();
  const once = (key: string, ask: () => Promise<boolean>): Promise<boolean> => {
    const known = asked.get(key) ?? ask();
    asked.set(key, known);
    return known;
  };
  return async (intent) => {
    const { projectId, action, paramsHash } = intent;
    const ofAction = `${projectId} ${action}`;
    if (!(await once(ofAction, () => read.hasApproved(projectId, action)))) return 'never';
    const isTwin = async () =>
      (await read.findApprovedAlike({ ...intent, since: approvedSince(gate) })) !== undefined;
    return (await once(`${ofAction} ${paramsHash}`, isTwin)) ? 'lately' : 'before';
  };
}
