/** What the inbox shows, and how that changes with what is read. Pure. */
import { asDrawn, type InboxItem, type InboxPage } from './inbox-item.ts';

export interface InboxState {
  status: 'loading' | 'ready' | 'failed';
  error: unknown;
  /** In the order asked for. */
  ids: readonly string[];
  items: ReadonlyMap<string, InboxItem>;
  /** In another order than by age: the newest there was before the list was read. Null: the first of the list. */
  newestBefore: string | null;
  /** Asked for since: behind a bar, so that nothing moves under a finger. */
  arriving: readonly string[];
  /** More arrived than one page holds. */
  manyArrived: boolean;
  /** No longer waiting; shown a little longer, to say what became of them. */
  leaving: ReadonlySet<string>;
  /** Why a decision of mine was refused. */
  refused: ReadonlyMap<string, string>;
  nextCursor: string | null;
  loadingMore: boolean;
  /** The gate looked through much without finding enough. */
  stoppedEarly: boolean;
  total: number;
  totalIsMore: boolean;
}

export const EMPTY: InboxState = {
  status: 'loading',
  error: null,
  ids: [],
  newestBefore: null,
  items: new Map(),
  arriving: [],
  manyArrived: false,
  leaving: new Set(),
  refused: new Map(),
  nextCursor: null,
  loadingMore: false,
  stoppedEarly: false,
  total: 0,
  totalIsMore: false,
};

function countsOf(page: InboxPage): Pick<InboxState, 'total' | 'totalIsMore'> {
  return { total: page.pending_total, totalIsMore: page.pending_more };
}

/** The list from its beginning. */
export function fromFirstPage(page: InboxPage, newestBefore: string | null = null): InboxState {
  return {
    ...EMPTY,
    ...countsOf(page),
    status: 'ready',
    ids: page.data.map(({ id }) => id),
    newestBefore,
    items: withItems(new Map(), page.data),
    nextCursor: page.next_cursor,
  };
}

/** One page further down. */
export function withNextPage(state: InboxState, page: InboxPage): InboxState {
  const known = new Set(state.ids);
  const fresh = page.data.map(({ id }) => id).filter((id) => !known.has(id));
  return {
    ...state,
    ...countsOf(page),
    ids: [...state.ids, ...fresh],
    items: withItems(state.items, page.data),
    nextCursor: page.next_cursor,
    loadingMore: false,
  };
}

/** The newest requests were read again: what is shown stays where it is, what is new waits behind the bar. */
export function withHead(state: InboxState, page: InboxPage): InboxState {
  const next: InboxState = {
    ...state,
    ...countsOf(page),
    status: 'ready',
    error: null,
    items: withItems(state.items, page.data),
  };
  const known = new Set([...state.ids, ...state.arriving]);
  const fresh = page.data.map(({ id }) => id).filter((id) => !known.has(id));
  // Nothing stands there that could move: what comes is shown at once.
  if (state.ids.length === 0) {
    return { ...next, ids: [...fresh, ...state.arriving], arriving: [], nextCursor: page.next_cursor };
  }
  const newest = state.newestBefore ?? state.ids[0] ?? '';
  const above = fresh.filter((id) => id > newest);
  const isGap = above.length === page.data.length && page.next_cursor !== null;
  return {
    ...next,
    arriving: [...above, ...state.arriving],
    manyArrived: state.manyArrived || isGap,
  };
}

/**
 * Some of those shown, as they are now.
 *
 * @param isAskedFor Whether the filters still want it.
 */
export function withChanged(
  state: InboxState,
  found: readonly InboxItem[],
  isAskedFor: (item: InboxItem) => boolean,
): InboxState {
  const isOver = (item: InboxItem) => item.status !== 'pending';
  const over = new Set(found.filter(isOver).map(({ id }) => id));
  const ended = [...over].filter((id) => state.items.get(id)?.status === 'pending').length;
  const leaving = found.filter((item) => isOver(item) || !isAskedFor(item)).map(({ id }) => id);
  return {
    ...state,
    items: withItems(state.items, found),
    leaving: new Set([...state.leaving, ...leaving]),
    // What was never shown has nothing to say when it goes.
    arriving: state.arriving.filter((id) => !over.has(id)),
    total: state.totalIsMore ? state.total : Math.max(0, state.total - ended),
  };
}

export function without(state: InboxState, gone: readonly string[]): InboxState {
  const left = new Set(gone);
  const stays = (id: string) => !left.has(id);
  return {
    ...state,
    ids: state.ids.filter(stays),
    arriving: state.arriving.filter(stays),
    items: new Map([...state.items].filter(([id]) => stays(id))),
    leaving: state.leaving.difference(left),
    refused: new Map([...state.refused].filter(([id]) => stays(id))),
  };
}

/** The bar was pressed: what arrived takes its place at the top. */
export function withArrivedShown(state: InboxState): InboxState {
  return { ...state, ids: [...state.arriving, ...state.ids], arriving: [] };
}

/** Decisions of mine that the gate refused, and those it took. */
export function withRefusals(
  state: InboxState,
  results: readonly { intent_id: string; error?: { message: string } }[],
): InboxState {
  const refused = new Map(state.refused);
  for (const { intent_id: id, error } of results) {
    if (error) refused.set(id, error.message);
    else refused.delete(id);
  }
  return { ...state, refused };
}

function withItems(items: InboxState['items'], found: readonly InboxItem[]): ReadonlyMap<string, InboxItem> {
  return new Map([...items, ...found.map((item) => [item.id, asDrawn(item)] as const)]);
}
