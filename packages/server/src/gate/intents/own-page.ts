/**
 * Owns which requests nobody may approve in a list because of their content. Either the list does not show everything,
 * or the request is new in some way.
 */
import { type RowObstacle, rowObstacle } from '@permitry/protocol/list-row';
import type { GateError } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { findApprovedLately } from './approved-lately.ts';
import type { Equal, Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

/**
 * `first_approval`: people have not approved this action in this project before. `approved_lately`: people approved an
 * identical request a short while ago, which a list does not show beside its buttons (threat 27).
 */
export type OwnPage = RowObstacle | 'first_approval' | 'approved_lately';

/**
 * Earlier approvals of a request's action: none, some, or one of an identical request lately. `never` and `lately`
 * require the request's own page.
 */
export type WasApproved = (intent: Equal) => Promise<'never' | 'before' | 'lately'>;

/** Why the request can only be approved on its own page. For higher risk and proof, see `isDecidedInPlace`. */
export async function findOwnPage(intent: Intent, wasApproved: WasApproved): Promise<OwnPage | null> {
  const { action, params, metadata, source, requester } = intent;
  const names = [requester.display, ...(source === null ? [] : [source])];
  const obstacle = rowObstacle({ action, params, metadata, names });
  if (obstacle !== undefined) return obstacle;
  return OWN_PAGE_OF[await wasApproved(intent)];
}

const OWN_PAGE_OF = { never: 'first_approval', before: null, lately: 'approved_lately' } as const;

const WHY_OWN_PAGE: Readonly<Record<OwnPage, string>> = {
  cut: 'A list does not show all of this request',
  marked: 'This request contains misleading characters',
  first_approval: 'This action has not been approved in this project before',
  approved_lately: 'An identical request was approved in the last 24 hours',
};

/** The refusal of an approval in a list. */
export function ownPageRefusal(why: OwnPage): GateError {
  return invalidFields({
    path: '/intent_id',
    message: `${WHY_OWN_PAGE[why]}, so it must be approved on its own page. Nothing was decided.`,
  });
}

/** Looks up each action, and each set of its parameters, once per list, however many rows it has. */
export function wasApprovedOnce(gate: Pick<IntentDeps, 'clock' | 'storage'>): WasApproved {
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
    const isTwin = async () => (await findApprovedLately(gate, read, intent)) !== undefined;
    return (await once(`${ofAction} ${paramsHash}`, isTwin)) ? 'lately' : 'before';
  };
}
