import type { InboxOrder } from '@permitry/protocol';
import type { Reviewer } from '../access/caller.ts';
import { tryToExpire } from '../intents/expire.ts';
import { wasApprovedOnce } from '../intents/own-page.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import { browse, type ListBriefs } from './browse.ts';
import { toMatcher } from './filters.ts';
import type { BrowseFilters, InboxItem, IntentBrief } from './inbox.ts';
import type { InboxDeps } from './inbox-deps.ts';
import { projectsOf } from './projects-of.ts';
import { settingsOnce, toInboxItem } from './to-inbox-item.ts';

export interface InboxQuery extends PageRequest, BrowseFilters {
  /** True: only requests that I may approve. False: only those that I may not. */
  canDecide?: boolean;
  /** Default: `newest`. */
  order?: InboxOrder;
}

export interface InboxPage extends Page<InboxItem> {
  /** All pending requests in these projects, whatever the other filters. */
  pending: { count: number; orMore: boolean };
}

const MOST_COUNTED = 1000;

/**
 * Pending requests in the person's projects, in the requested order. Pages stay stable while requests come and go,
 * because the sort key of a request never changes.
 *
 * @throws GateError `project_not_found`, `invalid_fields`
 */
export async function listInbox(gate: InboxDeps, caller: Reviewer, query: InboxQuery): Promise<InboxPage> {
  const projectIds = projectsOf(caller, query.projectId);
  const settings = settingsOnce(gate);
  const wasApproved = wasApprovedOnce(gate);
  const now = gate.clock.now();
  const matcher = toMatcher(query);
  const { order = 'newest' } = query;
  const list: ListBriefs = ({ afterId, limit }) =>
    order === 'newest'
      ? gate.storage.read.listIntentBriefs({
          projectIds,
          status: 'pending',
          ...(afterId === undefined ? {} : { beforeId: afterId }),
          limit,
        })
      : gate.storage.read.listUrgentBriefs({
          projectIds,
          order,
          ...(afterId === undefined ? {} : { afterId }),
          limit,
        });
  const due: IntentBrief[] = [];
  const page = await browse(
    gate,
    query,
    list,
    {
      ...matcher,
      match(brief) {
        if (brief.expiresAt > now) return matcher.match(brief);
        due.push(brief);
        return 'no';
      },
    },
    async (brief) => {
      const intent = await gate.storage.read.findIntent(brief.id);
      if (intent?.status !== 'pending') return undefined;
      const item = await toInboxItem(gate, caller, await settings(intent.projectId), intent, wasApproved);
      return query.canDecide === undefined || item.standing.canDecide === query.canDecide ? item : undefined;
    },
  );
  if (due.length > 0) await tryToExpire(gate, due.slice(0, MOST_EXPIRED));
  const count = await gate.storage.read.countInbox(projectIds, MOST_COUNTED + 1);
  return {
    ...page,
    pending: { count: Math.min(count, MOST_COUNTED), orMore: count > MOST_COUNTED },
  };
}

/** One page writes the expiry of at most this many due intents. The sweeper writes the rest. */
const MOST_EXPIRED = 200;
