import { idCursor, type Page, type PageRequest, pageLimit } from '../kernel/page.ts';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import type { Matcher } from './filters.ts';
import type { IntentBrief } from './inbox.ts';
import type { InboxDeps } from './inbox-deps.ts';

/** The most intents that one page examines, so that a filter with few matches does not block others. */
const MOST_EXAMINED = 5000;
/** The most intents that one page reads completely, even if a filter that needs the whole intent drops most of them. */
const MOST_READ = 400;
/** The most bytes of parameters that one page searches. A single request is searched completely, however long it is. */
const MOST_SEARCHED = 1024 * 1024;
const CHUNK = 500;

/** Lists the intents after this id, in the order of the list. Returns fewer than `limit` only at the end. */
export type ListBriefs = (page: { afterId?: string; limit: number }) => Promise<readonly IntentBrief[]>;

/**
 * One page of intents, in the order of `list`. The cursor is the last intent examined, so pages neither repeat nor skip
 * anything while intents are added or decided. A page may hold fewer intents than requested, even none, and still name
 * a next page, because it stops after examining enough.
 *
 * @param matcher First tests the few columns that are read of every intent, then the parameters.
 * @param build Builds an item from a matching intent. Undefined drops the intent.
 */
export async function browse<T>(
  gate: Pick<InboxDeps, 'storage'>,
  request: PageRequest,
  list: ListBriefs,
  matcher: Matcher,
  build: (brief: IntentBrief) => Promise<T | undefined>,
): Promise<Page<T>> {
  const limit = pageLimit(request);
  let seen = idCursor(request, 'int_');
  const items: T[] = [];
  let examined = 0;
  let read = 0;
  let searched = 0;
  while (examined < MOST_EXAMINED) {
    const size = examined === 0 ? Math.min(CHUNK, limit * 2) : CHUNK;
    const chunk = await list({ ...(seen === undefined ? {} : { afterId: seen }), limit: size });
    const matches = chunk.map((brief) => ({ brief, match: matcher.match(brief) }));
    const unsure = matches.flatMap(({ brief, match }) => (match === 'if_in_params' ? [brief] : []));
    const { found, bytes } = await searchParams(gate, matcher, unsure, MOST_SEARCHED - searched);
    searched += bytes;
    for (const { brief, match } of matches) {
      const isWanted = match === 'if_in_params' ? found.get(brief.id) : match === 'yes';
      // This intent is beyond the search budget of this page. The next page begins with it.
      if (isWanted === undefined) return { items, nextCursor: seen ?? null };
      if (isWanted) {
        if (items.length === limit || read === MOST_READ) return { items, nextCursor: seen ?? null };
        const item = await build(brief);
        read += 1;
        if (item !== undefined) items.push(item);
      }
      seen = brief.id;
    }
    if (chunk.length < size) return { items, nextCursor: null };
    examined += chunk.length;
    // Other work runs between two chunks.
    await yieldToEventLoop();
  }
  return { items, nextCursor: seen ?? null };
}

/** Which of these intents contain the text, as far as the budget goes. The result omits intents beyond the budget. */
async function searchParams(
  gate: Pick<InboxDeps, 'storage'>,
  matcher: Matcher,
  briefs: readonly IntentBrief[],
  budget: number,
): Promise<{ found: ReadonlyMap<string, boolean>; bytes: number }> {
  const ids: string[] = [];
  let bytes = 0;
  for (const { id, paramsBytes } of briefs) {
    // Always search one, so that every page makes progress.
    const isFirst = ids.length === 0 && budget === MOST_SEARCHED;
    if (bytes + paramsBytes > budget && !isFirst) break;
    ids.push(id);
    bytes += paramsBytes;
  }
  if (ids.length === 0) return { found: new Map(), bytes };
  const texts = await gate.storage.read.readParams(ids);
  const found = new Map(ids.map((id) => [id, matcher.isInParams(texts.get(id) ?? '')]));
  return { found, bytes };
}
