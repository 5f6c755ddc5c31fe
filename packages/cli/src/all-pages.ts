import type { Page, PageRequest } from '@permitry/server';

const LARGEST_PAGE = 200;

/** All items of a list operation, fetched page by page, in the operation's order. */
export async function allPages<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await list({ limit: LARGEST_PAGE, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}
