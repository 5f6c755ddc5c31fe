import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLive } from '../../live/live.ts';
import type { InboxFilters } from './inbox-filters.ts';
import type { InboxState } from './inbox-state.ts';
import { InboxStore } from './inbox-store.ts';

/** The list for these filters, kept in step with what happens. */
export function useInbox(filters: InboxFilters): { store: InboxStore; state: InboxState } {
  const key = JSON.stringify(filters);
  const [held, setHeld] = useState(() => ({ key, store: new InboxStore(filters) }));
  const store = held.store;

  useEffect(() => {
    // A store serves one set of filters, and is closed for good with them.
    const fresh = new InboxStore(JSON.parse(key) as InboxFilters);
    setHeld({ key, store: fresh });
    void fresh.load();
    return () => fresh.close();
  }, [key]);

  useLive({ onChange: (change) => store.onChange(change), onReset: () => store.onReset() });
  return { store, state: useSyncExternalStore(store.subscribe, store.state) };
}
