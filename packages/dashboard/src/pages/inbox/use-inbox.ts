import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLive } from '../../live/live.ts';
import type { InboxFilters } from './inbox-filters.ts';
import type { InboxState } from './inbox-state.ts';
import { InboxStore } from './inbox-store.ts';

/**
 * The list for these filters, kept up to date.
 *
 * @param resumed Its state when the person left the page.
 */
export function useInbox(
  filters: InboxFilters,
  resumed: InboxState | undefined,
): { store: InboxStore; state: InboxState } {
  const key = JSON.stringify(filters);
  const [held, setHeld] = useState(() => ({ key, store: new InboxStore(filters, resumed) }));
  const [resumedAs] = useState({ key, state: resumed });
  const store = held.store;

  useEffect(() => {
    // A store serves one set of filters and is closed when they change.
    const isSame = key === resumedAs.key;
    const fresh = new InboxStore(JSON.parse(key) as InboxFilters, isSame ? resumedAs.state : undefined);
    setHeld({ key, store: fresh });
    fresh.start();
    return () => fresh.close();
  }, [key, resumedAs]);

  useLive({ onChange: (change) => store.onChange(change), onReset: () => store.onReset() });
  return { store, state: useSyncExternalStore(store.subscribe, store.state) };
}
