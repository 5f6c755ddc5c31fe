import type { IntentStatus } from '@permitry/protocol';
import type { SessionCaller } from '../access/caller.ts';
import { expireAllDue } from '../intents/expire.ts';
import { wasApprovedOnce } from '../intents/own-page.ts';
import { GateError } from '../kernel/errors.ts';
import { onlyGiven } from '../kernel/only-given.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import { parseInstant } from '../kernel/parse-instant.ts';
import { browse } from './browse.ts';
import { toMatcher } from './filters.ts';
import type { BrowseFilters, InboxItem } from './inbox.ts';
import type { InboxDeps } from './inbox-deps.ts';
import { projectsOf } from './projects-of.ts';
import { settingsOnce, toInboxItem } from './to-inbox-item.ts';

export interface HistoryQuery extends PageRequest, BrowseFilters {
  status?: Exclude<IntentStatus, 'pending'>;
  /**
   * Part of the name of the approver who resolved the request, or whose approval counted: an email address,
   * `policy:<rule>`.
   */
  decider?: string;
  /** Sent at this instant or later. ISO 8601. */
  from?: string;
  /** Sent before this instant. ISO 8601. */
  to?: string;
}

/**
 * All decided or expired requests in the person's projects, newest first by creation.
 *
 * @throws GateError `project_not_found`, `invalid_fields`
 */
export async function listHistory(
  gate: InboxDeps,
  caller: SessionCaller,
  query: HistoryQuery,
): Promise<Page<InboxItem>> {
  const projectIds = projectsOf(caller, query.projectId);
  const from = parseInstant('/from', query.from);
  const to = parseInstant('/to', query.to);
  const settings = settingsOnce(gate);
  const wasApproved = wasApprovedOnce(gate);
  if (query.status === undefined || query.status === 'expired') await expireIfPossible(gate);
  return browse(
    gate,
    query,
    ({ afterId, limit }) =>
      gate.storage.read.listIntentBriefs({
        projectIds,
        status: query.status ?? 'resolved',
        ...onlyGiven({ from, to, beforeId: afterId }),
        limit,
      }),
    toMatcher(query),
    async (brief) => {
      const intent = await gate.storage.read.findIntent(brief.id);
      return intent && toInboxItem(gate, caller, await settings(intent.projectId), intent, wasApproved);
    },
  );
}

/**
 * A due intent is stored as pending until some process writes its expiry. If the storage cannot write, the list shows
 * the rest.
 */
async function expireIfPossible(gate: InboxDeps): Promise<void> {
  try {
    await expireAllDue(gate);
  } catch (error) {
    if (!(error instanceof GateError && error.code === 'service_unavailable')) throw error;
  }
}
