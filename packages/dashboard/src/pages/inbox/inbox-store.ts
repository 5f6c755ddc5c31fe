/**
 * What the inbox shows, kept in step with what happens. A list of ten thousand is not read anew because one of them was
 * decided: the stream says which changed, and those alone are read.
 */
import { api } from '../../api/client.ts';
import type { Change } from '../../live/connection.ts';
import type { InboxFilters } from './inbox-filters.ts';
import type { InboxItem, InboxPage } from './inbox-item.ts';

export interface InboxState {
  status: 'loading' | 'ready' | 'failed';
  error: unknown;
  /** Newest first. */
  ids: readonly string[];
  items: ReadonlyMap<string, InboxItem>;
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
  /** What the gate looked through without finding enough. */
  stoppedEarly: boolean;
  total: number;
  totalIsMore: boolean;
}

export interface Decision {
  intent_id: string;
  decision: 'approve' | 'deny';
  reason?: string;
}

export interface DecisionResult {
  intent_id: string;
  status?: InboxItem['status'];
  error?: { code: string; message: string };
}

const PAGE = 50;
const MOST_IDS = 50;
/** Fewer than this, and more is read. */
const FEW = 20;
/** What happens within this time is read together. */
const GATHER_MS = 150;
/** A gate in full run tells of many things a second; people read no faster. */
const HEAD_MS = 500;
const REREAD_MS = 2000;
const LEAVE_MS = 4000;
/** Pages fetched in a row while a filter finds next to nothing. */
const MOST_FRUITLESS = 6;

const EMPTY: InboxState = {
  status: 'loading',
  error: null,
  ids: [],
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

export class InboxStore {
  readonly #filters: InboxFilters;
  readonly #watchers = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #changed = new Set<string>();
  /** Read before something was missed: read anew when looked at. */
  readonly #stale = new Set<string>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #held: string | undefined;
  #headWanted = false;
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #rereadAt = 0;
  #state: InboxState = EMPTY;

  constructor(filters: InboxFilters) {
    this.#filters = filters;
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  readonly state = (): InboxState => this.#state;

  close(): void {
    this.#stop.abort();
    clearTimeout(this.#gathering);
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  /** Reads the list from its beginning. */
  async load(): Promise<void> {
    try {
      const page = await this.#read(null);
      this.#changed.clear();
      this.#stale.clear();
      this.#set({
        ...EMPTY,
        status: 'ready',
        refused: this.#state.refused,
        ids: page.data.map(({ id }) => id),
        items: new Map(page.data.map((item) => [item.id, item])),
        nextCursor: page.next_cursor,
        total: page.pending_total,
        totalIsMore: page.pending_more,
      });
      await this.#searchOn();
    } catch (error) {
      if (!this.#stop.signal.aborted && this.#state.status !== 'ready')
        this.#set({ status: 'failed', error });
    }
  }

  async loadMore(): Promise<void> {
    const { nextCursor, loadingMore } = this.#state;
    if (nextCursor === null || loadingMore) return;
    this.#set({ loadingMore: true, stoppedEarly: false, error: null });
    try {
      const page = await this.#read(nextCursor);
      const items = new Map(this.#state.items);
      for (const item of page.data) items.set(item.id, item);
      const known = new Set(this.#state.ids);
      const fresh = page.data.map(({ id }) => id).filter((id) => !known.has(id));
      this.#set({
        ids: [...this.#state.ids, ...fresh],
        items,
        nextCursor: page.next_cursor,
        loadingMore: false,
        total: page.pending_total,
        totalIsMore: page.pending_more,
      });
    } catch (error) {
      this.#set({ loadingMore: false, error });
    }
  }

  /** The bar was pressed: what arrived takes its place at the top. */
  showArrived(): void {
    const { arriving, ids, manyArrived } = this.#state;
    if (manyArrived) void this.load();
    else this.#set({ ids: [...arriving, ...ids], arriving: [] });
  }

  /** The one that is looked at does not leave while it is. */
  hold(id: string | undefined): void {
    const before = this.#held;
    this.#held = id;
    if (before !== undefined && before !== id && this.#state.leaving.has(before)) this.#leaveSoon(before);
  }

  onChange({ intent_id: id, type }: Change): void {
    if (type === 'many') this.onReset();
    else if (id === null) {
      // Members, groups, policy: who may decide what may be another question now.
      if (/^(member|group|policy|project)\./.test(type)) this.onReset();
    } else if (this.#state.items.has(id)) this.#readSoon(id);
    else if (type.startsWith('intent.')) this.#readHeadSoon();
  }

  /** Something may have been missed: the top is read now, all else when it is looked at. */
  onReset(): void {
    for (const id of this.#state.items.keys()) this.#stale.add(id);
    if (this.#state.status === 'failed') void this.load();
    else this.#readHeadSoon(REREAD_MS);
  }

  /** These stand before somebody's eyes. */
  look(ids: readonly string[]): void {
    for (const id of ids) if (this.#stale.delete(id)) this.#readSoon(id);
  }

  async decide(decisions: readonly Decision[]): Promise<DecisionResult[]> {
    const { data } = await api.post<{ data: DecisionResult[] }>('/console/decisions', { decisions });
    const refused = new Map(this.#state.refused);
    for (const { intent_id: id, error } of data) {
      if (error) refused.set(id, error.message);
      else refused.delete(id);
    }
    this.#set({ refused });
    for (const { intent_id: id } of data) this.#changed.add(id);
    await this.#readChanged();
    return data;
  }

  #read(cursor: string | null): Promise<InboxPage> {
    return api.get<InboxPage>('/console/inbox', {
      query: { ...this.#filters, cursor, limit: PAGE },
      signal: this.#stop.signal,
    });
  }

  /** A filter that few match may end a page before it has found anything. */
  async #searchOn(): Promise<void> {
    for (let tries = 0; this.#state.nextCursor !== null && this.#state.ids.length < PAGE; tries += 1) {
      if (this.#stop.signal.aborted || this.#state.error !== null) return;
      if (tries === MOST_FRUITLESS) {
        this.#set({ stoppedEarly: true });
        return;
      }
      await this.loadMore();
    }
  }

  #readSoon(id: string): void {
    this.#changed.add(id);
    this.#gather(GATHER_MS);
  }

  #readHeadSoon(pauseMs = HEAD_MS): void {
    this.#headWanted = true;
    this.#gather(Math.max(GATHER_MS, this.#rereadAt + pauseMs - Date.now()));
  }

  #gather(delayMs: number): void {
    if (this.#gathering !== undefined || this.#stop.signal.aborted) return;
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      void this.#catchUp();
    }, delayMs);
  }

  async #catchUp(): Promise<void> {
    try {
      if (this.#changed.size > 0) await this.#readChanged();
      if (this.#headWanted) {
        this.#headWanted = false;
        this.#rereadAt = Date.now();
        this.#takeHead(await this.#read(null));
      }
    } catch {
      // The stream says when the gate is back; then all of it is read anew.
    }
    if (this.#changed.size > 0) this.#gather(GATHER_MS);
  }

  async #readChanged(): Promise<void> {
    const ids = [...this.#changed].slice(0, MOST_IDS);
    for (const id of ids) this.#changed.delete(id);
    const { data } = await api.get<{ data: InboxItem[] }>('/console/inbox/items', {
      query: { ids: ids.join() },
      signal: this.#stop.signal,
    });
    const found = new Map(data.map((item) => [item.id, item]));
    const items = new Map(this.#state.items);
    const leaving = new Set(this.#state.leaving);
    const gone: string[] = [];
    for (const id of ids) {
      const item = found.get(id);
      if (item === undefined) {
        gone.push(id);
        continue;
      }
      items.set(id, item);
      if (item.status !== 'pending' || !this.#isAskedFor(item)) {
        if (!leaving.has(id)) this.#leaveSoon(id);
        leaving.add(id);
      }
    }
    const ended = data.filter(({ status }) => status !== 'pending').map(({ id }) => id);
    const newlyEnded = ended.filter((id) => this.#state.items.get(id)?.status === 'pending').length;
    this.#set({
      items,
      leaving,
      arriving: this.#state.arriving.filter((id) => !ended.includes(id)),
      total: this.#state.totalIsMore ? this.#state.total : Math.max(0, this.#state.total - newlyEnded),
    });
    this.#remove(gone);
    if (this.#changed.size > 0) await this.#readChanged();
  }

  #isAskedFor(item: InboxItem): boolean {
    const { can_decide: wanted } = this.#filters;
    return wanted === '' || String(item.can_decide) === wanted;
  }

  #takeHead(page: InboxPage): void {
    const { ids, arriving } = this.#state;
    const items = new Map(this.#state.items);
    for (const item of page.data) {
      items.set(item.id, item);
      this.#stale.delete(item.id);
    }
    const known = new Set([...ids, ...arriving]);
    const fresh = page.data.map(({ id }) => id).filter((id) => !known.has(id));
    const common = {
      status: 'ready' as const,
      error: null,
      items,
      total: page.pending_total,
      totalIsMore: page.pending_more,
    };
    // Nothing stands there that could move: what comes is shown at once.
    if (ids.length === 0) {
      this.#set({ ...common, ids: [...fresh, ...arriving], arriving: [], nextCursor: page.next_cursor });
      return;
    }
    const newest = ids[0] ?? '';
    const above = fresh.filter((id) => id > newest);
    const isGap = above.length === page.data.length && page.next_cursor !== null;
    this.#set({
      ...common,
      arriving: [...above, ...arriving],
      manyArrived: this.#state.manyArrived || isGap,
    });
  }

  #leaveSoon(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.set(
      id,
      setTimeout(() => {
        this.#timers.delete(id);
        if (this.#held !== id) this.#remove([id]);
      }, LEAVE_MS),
    );
  }

  #remove(gone: readonly string[]): void {
    if (gone.length === 0) return;
    const left = new Set(gone);
    const items = new Map(this.#state.items);
    const leaving = new Set(this.#state.leaving);
    const refused = new Map(this.#state.refused);
    for (const id of gone) {
      items.delete(id);
      leaving.delete(id);
      refused.delete(id);
    }
    const stays = (id: string) => !left.has(id);
    this.#set({
      ids: this.#state.ids.filter(stays),
      arriving: this.#state.arriving.filter(stays),
      items,
      leaving,
      refused,
    });
    if (this.#state.ids.length < FEW) void this.loadMore();
  }

  #set(change: Partial<InboxState>): void {
    if (this.#stop.signal.aborted) return;
    this.#state = { ...this.#state, ...change };
    for (const watcher of [...this.#watchers]) watcher();
  }
}
