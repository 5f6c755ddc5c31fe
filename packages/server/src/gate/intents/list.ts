import type { IntentStatus } from '@permitry/protocol';
import type { Caller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import { type Page, type PageRequest, pageByIds } from '../kernel/page.ts';
import { asExpired, expireAllDue, expireIntents, isDue, tryToExpire } from './expire.ts';
import type { IntentFilter, ListedIntent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';
import { approvalUrl } from './intent-view.ts';

/** An intent as a list shows it. */
export interface IntentSummary {
  intent: ListedIntent;
  approvalUrl: string;
}

/** The intents that the credential may see: a person's projects, a secret key's project, an agent's own requests. */
function visibleTo(caller: Caller): Pick<IntentFilter, 'projectIds' | 'agentId'> {
  switch (caller.kind) {
    case 'agent':
      return { projectIds: [caller.projectId], agentId: caller.agent.id };
    case 'secret':
      return { projectIds: [caller.projectId] };
    case 'user':
    case 'session':
      return { projectIds: caller.memberships.map((membership) => membership.projectId) };
    default:
      throw new GateError('forbidden', 'This credential may not list requests.', {
        required: 'intents:read',
      });
  }
}

/** Newest first. Expires due intents first, so that no list calls them pending. */
export async function listIntents(
  gate: IntentDeps,
  caller: Caller,
  query: PageRequest & { status?: IntentStatus | 'resolved' },
): Promise<Page<IntentSummary>> {
  const filter = { ...visibleTo(caller), ...(query.status === undefined ? {} : { status: query.status }) };
  // A due intent is stored as pending until some process writes its expiry. A query for expired intents must not miss
  // it.
  if (query.status === 'expired' || query.status === 'resolved') {
    await expireAllDue(gate);
  }
  const page = await pageByIds(query, 'int_', (rows) => listSettled(gate, { ...filter, ...rows }));
  return {
    items: page.items.map((intent) => ({ intent, approvalUrl: approvalUrl(gate, intent.id) })),
    nextCursor: page.nextCursor,
  };
}

async function listSettled(gate: IntentDeps, filter: IntentFilter): Promise<readonly ListedIntent[]> {
  for (;;) {
    const found = await gate.storage.read.listIntents(filter);
    const now = gate.clock.now();
    const due = found.filter((intent) => isDue(intent, now));
    if (due.length === 0) return found;
    // A list by status must write the expiries first: another process may have resolved some of these intents.
    if (filter.status !== undefined) await expireIntents(gate, due);
    else if (!(await tryToExpire(gate, due)))
      return found.map((intent) => (isDue(intent, now) ? asExpired(intent) : intent));
  }
}
