/** What is asked for, as it stands in the address: a view can be sent to somebody, or kept as a bookmark. */
const NAMES = ['project', 'action', 'risk_tier', 'source', 'q', 'can_decide', 'sort'] as const;

export type InboxFilters = Record<(typeof NAMES)[number], string>;

const MOST_CHARACTERS = 200;

export function readFilters(search: URLSearchParams): InboxFilters {
  return readNamed(search, NAMES);
}

/** Filters of these names; empty: not asked for. */
export function readNamed<N extends string>(search: URLSearchParams, names: readonly N[]): Record<N, string> {
  const found = names.map((name) => [name, (search.get(name) ?? '').slice(0, MOST_CHARACTERS)]);
  return Object.fromEntries(found) as Record<N, string>;
}

/** The search of an address with one filter changed; those that are empty do not stand in it. */
export function withFilter(search: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(search);
  if (value === '') next.delete(name);
  else next.set(name, value);
  return next;
}

/** Whether anything is left out. An order leaves nothing out. */
export function isFiltered({ sort: _, ...filters }: Readonly<Record<string, string>>): boolean {
  return Object.values(filters).some((value) => value !== '');
}
