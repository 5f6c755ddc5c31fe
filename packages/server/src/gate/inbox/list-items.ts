import type { SessionCaller } from '../access/caller.ts';
import { isDue, tryToExpire } from '../intents/expire.ts';
import { seesIntent } from '../intents/find-intent.ts';
import { wasApprovedOnce } from '../intents/own-page.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import type { InboxItem } from './inbox.ts';
import type { InboxDeps } from './inbox-deps.ts';
import { settingsOnce, toInboxItem } from './to-inbox-item.ts';

const MOST_ITEMS = 50;

/**
 * The current state of some items, in the requested order, for a list that knows that they changed. Includes resolved
 * requests, and omits requests that this person cannot see.
 *
 * @throws GateError `invalid_fields` for more than 50
 */
export async function listItems(
  gate: InboxDeps,
  caller: SessionCaller,
  intentIds: readonly string[],
): Promise<InboxItem[]> {
  if (intentIds.length > MOST_ITEMS) {
    throw invalidFields({ path: '/ids', message: `Must be at most ${MOST_ITEMS} ids.` });
  }
  const settings = settingsOnce(gate);
  const wasApproved = wasApprovedOnce(gate);
  const found = await Promise.all([...new Set(intentIds)].map((id) => gate.storage.read.findIntent(id)));
  const seen = found.filter((intent) => intent !== undefined).filter((intent) => seesIntent(caller, intent));
  const now = gate.clock.now();
  const due = seen.filter((intent) => isDue(intent, now));
  if (due.length > 0) await tryToExpire(gate, due);
  return Promise.all(
    seen.map(async (intent) =>
      toInboxItem(gate, caller, await settings(intent.projectId), intent, wasApproved),
    ),
  );
}
