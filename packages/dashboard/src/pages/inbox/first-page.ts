/** The first page of the list, asked for while the rest of the app is still being made. */
import { api } from '../../api/client.ts';
import { type InboxFilters, readFilters } from './inbox-filters.ts';
import type { InboxPage } from './inbox-item.ts';

/** Few enough to be there and drawn at once; what follows is read in larger pages. */
const FIRST = 25;

const early =
  location.pathname === '/inbox' ? askEarly(readFilters(new URLSearchParams(location.search))) : null;

function askEarly(filters: InboxFilters) {
  const answer = readFirst(filters, true);
  // Whoever needs it asks again, and hears why.
  answer.catch(() => undefined);
  return { key: JSON.stringify(filters), answer, isTaken: false };
}

/** The early answer, once, where it is to the same question. */
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
    // Without a session the app itself goes to the sign-in.
    staysOnUnauthorized: isEarly,
    ...(signal && { signal }),
  });
}
