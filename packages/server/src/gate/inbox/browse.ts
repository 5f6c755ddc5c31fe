import type { Gate } from '../gate.ts';
import { nextTurn } from '../next-turn.ts';
import { idCursor, type Page, type PageRequest, pageLimit } from '../page.ts';
import type { BriefFilter, IntentBrief } from './inbox.ts';

/** Intents that one page looks through at most, so that a filter which few match keeps nobody else waiting. */
const MOST_EXAMINED = 5000;
/** Of them, those read whole at most; also when a filter that needs all of an intent drops most. */
const MOST_READ = 400;
const CHUNK = 500;

/**
 * One page of intents, newest first. The cursor is the last one looked at, so pages neither repeat nor skip anything
 * while intents are added or decided. A page may hold fewer than asked for, even none, and still name a next one: it
 * ends where enough was looked through.
 *
 * @param matches Asked first, of the few columns that are read of every intent.
 * @param build Reads what matched; undefined leaves it out.
 */
export async function browse<T>(
  gate: Gate,
  request: PageRequest,
  range: Omit<BriefFilter, 'beforeId' | 'limit'>,
  matches: (brief: IntentBrief) => boolean,
  build: (brief: IntentBrief) => Promise<T | undefined>,
): Promise<Page<T>> {
  const limit = pageLimit(request);
  let seen = idCursor(request, 'int_');
  const items: T[] = [];
  let examined = 0;
  let read = 0;
  while (examined < MOST_EXAMINED) {
    const size = examined === 0 ? Math.min(CHUNK, limit * 2) : CHUNK;
    const chunk = await gate.storage.read.listIntentBriefs({
      ...range,
      ...(seen === undefined ? {} : { beforeId: seen }),
      limit: size,
    });
    for (const brief of chunk) {
      if (matches(brief)) {
        if (items.length === limit || read === MOST_READ) return { items, nextCursor: seen ?? null };
        const item = await build(brief);
        read += 1;
        if (item !== undefined) items.push(item);
      }
      seen = brief.id;
    }
    if (chunk.length < size) return { items, nextCursor: null };
    examined += chunk.length;
    // Others have their turn between two chunks.
    await nextTurn();
  }
  return { items, nextCursor: seen ?? null };
}
