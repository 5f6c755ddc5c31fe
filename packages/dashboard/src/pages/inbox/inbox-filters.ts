/** The filters, as the URL holds them, so that people can share or bookmark a view. */
const NAMES = ['project', 'action', 'risk_tier', 'source', 'q', 'can_decide', 'sort'] as const;

export type InboxFilters = Record<(typeof NAMES)[number], string>;

const MOST_CHARACTERS = 200;

export function readFilters(search: URLSearchParams): InboxFilters {
  return readNamed(search, NAMES);
}

/** The filters with these names; empty means not set. */
export function readNamed<N extends string>(search: URLSearchParams, names: readonly N[]): Record<N, string> {
  const found = names.map((name) => [name, (search.get(name) ?? '').slice(0, MOST_CHARACTERS)]);
  return Object.fromEntries(found) as Record<N, string>;
}

/** The query string with one filter changed, without empty filters. */
export function withFilter(search: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(search);
  if (value === '') next.delete(name);
  else next.set(name, value);
  return next;
}

/** Whether anything is filtered out. A sort order does not count. */
export function isFiltered({ sort: _, ...filters }: Readonly<Record<string, string>>): boolean {
  return Object.values(filters).some((value) => value !== '');
}
