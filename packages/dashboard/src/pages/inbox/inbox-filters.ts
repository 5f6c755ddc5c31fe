/** What is asked for, as it stands in the address: a view can be sent to somebody, or kept as a bookmark. */
export interface InboxFilters {
  project: string;
  action: string;
  risk_tier: string;
  source: string;
  q: string;
  can_decide: string;
}

const NAMES = ['project', 'action', 'risk_tier', 'source', 'q', 'can_decide'] as const;

export function readFilters(search: URLSearchParams): InboxFilters {
  const found = Object.fromEntries(NAMES.map((name) => [name, (search.get(name) ?? '').slice(0, 200)]));
  return found as unknown as InboxFilters;
}

/** The search of an address with one filter changed; those that are empty do not stand in it. */
export function withFilter(search: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(search);
  if (value === '') next.delete(name);
  else next.set(name, value);
  return next;
}

/** Whether anything is left out. */
export function isFiltered(filters: InboxFilters): boolean {
  return Object.values(filters).some((value) => value !== '');
}
