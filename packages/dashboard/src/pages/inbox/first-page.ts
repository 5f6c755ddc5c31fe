/** The first page of the list, requested while the rest of the app is still loading. */
import { api } from '../../api/client.ts';
import { type InboxFilters, readFilters } from './inbox-filters.ts';
import type { InboxPage } from './inbox-item.ts';

/** Few enough to load and draw at once; later pages are larger. */
const FIRST = 25;

const early =
  location.pathname === '/inbox' ? askEarly(readFilters(new URLSearchParams(location.search))) : null;

function askEarly(filters: InboxFilters) {
  const answer = readFirst(filters, true);
  // The page that needs it asks again and reports the error.
  answer.catch(() => undefined);
  return { key: JSON.stringify(filters), answer, isTaken: false };
}

/** Returns the early answer once, if the filters are the same. */
export async function takeFirst(filters: InboxFilters, signal: AbortSignal): Promise<InboxPage> {
  if (early && !early.isTaken && early.key === JSON.stringify(filters)) {
    early.isTaken = true;
    const page = await early.answer.catch(() => null);
    if (page) return page;
  }
  return readFirst(filters, false, signal);
}

function readFirst(filters: InboxFilters, isEarly: boolean, signal?: AbortSignal): Promise<InboxPage> {
  return api.get<InboxPage>('/console/inbox', {
    query: { ...filters, limit: FIRST },
    // Without a session, the app itself goes to sign-in.
    staysOnUnauthorized: isEarly,
    ...(signal && { signal }),
  });
}
