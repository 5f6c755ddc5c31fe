/** The state of the inbox, and how new data changes it. Pure. */
import { asDrawn, type InboxItem, type InboxPage } from './inbox-item.ts';

export interface InboxState {
  status: 'loading' | 'ready' | 'failed';
  error: unknown;
  /** In the chosen order. */
  ids: readonly string[];
  items: ReadonlyMap<string, InboxItem>;
  /**
   * The newest request just before the list was read. Null when the list is sorted by age: its first row is then the
   * newest.
   */
  newestBefore: string | null;
  /**
   * Requests that arrived after the list was read. They wait behind a bar, so that no row moves while a person points
   * at it.
   */
  arriving: readonly string[];
  /** More arrived than fit on one page. */
  manyArrived: boolean;
  /** No longer pending, but shown a little longer to say how they ended. */
  leaving: ReadonlySet<string>;
  /** Why the gate refused a decision of mine. */
  refused: ReadonlyMap<string, string>;
  nextCursor: string | null;
  loadingMore: boolean;
  /** The gate stopped searching before it had filled the page. */
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

/** Starts the list from its first page. */
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

/** Appends the next page. */
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

/** Merges a new read of the newest requests. Shown rows stay where they are; new ones wait behind the bar. */
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
  // The list is empty, so nothing can move: new requests appear at once.
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
 * Updates shown requests with their current state.
 *
 * @param isAskedFor Whether the request still matches the filters.
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
    // A request that was never shown disappears silently.
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

/** The person pressed the bar: the arrived requests move to the top. */
export function withArrivedShown(state: InboxState): InboxState {
  return { ...state, ids: [...state.arriving, ...state.ids], arriving: [] };
}

/** Records which of my decisions the gate refused and which it accepted. */
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
