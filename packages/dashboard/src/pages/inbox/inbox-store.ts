/**
 * Keeps the inbox in step with what happens. A list of ten thousand is not read anew because one of them was decided:
 * the stream says which changed, and those alone are read.
 */
import { api } from '../../api/client.ts';
import type { Change } from '../../live/connection.ts';
import { takeFirst } from './first-page.ts';
import type { InboxFilters } from './inbox-filters.ts';
import type { InboxItem, InboxPage } from './inbox-item.ts';
import {
  EMPTY,
  fromFirstPage,
  type InboxState,
  withArrivedShown,
  withChanged,
  withHead,
  withNextPage,
  without,
  withRefusals,
} from './inbox-state.ts';

export interface Decision {
  intent_id: string;
  decision: 'approve' | 'deny';
  /** Of what was shown. */
  intent_hash?: string;
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
/** Pages read in a row while a filter finds next to nothing. */
const MOST_FRUITLESS = 6;
/** What happens within this time is read together. */
const GATHER_MS = 150;
/** Between two looks at the top: a gate in full run tells of many things a second, and people read no faster. */
const HEAD_MS = 500;
const ANEW_MS = 2000;
const JUST_LOADED_MS = 5000;
const LEAVE_MS = 4000;

export class InboxStore {
  readonly #filters: InboxFilters;
  readonly #watchers = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #changed = new Set<string>();
  /** Read before something was missed: read anew when looked at. */
  readonly #stale = new Set<string>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #open: string | undefined;
  #headWanted = false;
  #headAt = 0;
  #loadedAt = 0;
  #missedWhileLoading = false;
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #state: InboxState;
  readonly #isResumed: boolean;

  /** @param resumed What an earlier store of the same filters showed when its page was left. */
  constructor(filters: InboxFilters, resumed?: InboxState) {
    this.#filters = filters;
    this.#isResumed = resumed !== undefined;
    this.#state = resumed ? { ...resumed, leaving: new Set(), loadingMore: false } : EMPTY;
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

  /** Reads the list, or what has changed of it since it was left. */
  start(): void {
    if (!this.#isResumed) {
      void this.load();
      return;
    }
    this.#loadedAt = Date.now();
    this.#readAnew();
  }

  /** Reads the list from its beginning. */
  async load(): Promise<void> {
    try {
      // Before the list: what comes between the two is then new, not lost.
      const newest = this.#isByAge ? null : ((await this.#readNewest(1)).data[0]?.id ?? '');
      const page = await takeFirst(this.#filters, this.#stop.signal);
      this.#loadedAt = Date.now();
      this.#changed.clear();
      this.#stale.clear();
      this.#set({ ...fromFirstPage(page, newest), refused: this.#state.refused });
      if (this.#missedWhileLoading) void this.#checkForNew();
      this.#missedWhileLoading = false;
      await this.#searchOn();
    } catch (error) {
      if (this.#state.status !== 'ready') this.#set({ ...this.#state, status: 'failed', error });
    }
  }

  async loadMore(): Promise<void> {
    const { nextCursor, loadingMore } = this.#state;
    if (nextCursor === null || loadingMore) return;
    this.#set({ ...this.#state, loadingMore: true, stoppedEarly: false, error: null });
    try {
      const page = await this.#read(nextCursor, PAGE);
      this.#set(withNextPage(this.#state, page));
    } catch (error) {
      this.#set({ ...this.#state, loadingMore: false, error });
    }
  }

  /** The bar was pressed. */
  showArrived(): void {
    if (this.#state.manyArrived || !this.#isByAge) void this.load();
    else this.#set(withArrivedShown(this.#state));
  }

  /** The one that is looked at does not leave while it is. */
  keepOpen(id: string | undefined): void {
    const before = this.#open;
    this.#open = id;
    if (before !== undefined && before !== id && this.#state.leaving.has(before)) this.#leaveSoon(before);
  }

  onChange({ intent_id: id, type }: Change): void {
    if (type === 'many') this.#readAnew();
    else if (id === null) {
      // Members, groups, policy: who may decide what may be another question now.
      if (/^(member|group|policy|project)\./.test(type)) this.#readAnew();
    } else if (this.#state.items.has(id)) this.#readSoon(id);
    else if (type.startsWith('intent.')) this.#readHeadSoon(HEAD_MS);
  }

  /** Something may have been missed. */
  onReset(): void {
    if (this.#state.status === 'loading') this.#missedWhileLoading = true;
    else if (Date.now() - this.#loadedAt < JUST_LOADED_MS) void this.#checkForNew();
    else this.#readAnew();
  }

  /** These stand before somebody's eyes. */
  refreshStale(ids: readonly string[]): void {
    for (const id of ids) if (this.#stale.delete(id)) this.#readSoon(id);
  }

  async decide(decisions: readonly Decision[]): Promise<DecisionResult[]> {
    const { data } = await api.post<{ data: DecisionResult[] }>('/console/decisions', { decisions });
    this.#set(withRefusals(this.#state, data));
    for (const { intent_id: id } of data) this.#changed.add(id);
    // They are decided, whether or not it can be read just now what became of them.
    await this.#readChanged().catch(() => undefined);
    return data;
  }

  /** The stream began right after the list was read: most often nothing came between. */
  async #checkForNew(): Promise<void> {
    this.#loadedAt = 0;
    const found = await this.#readNewest(1).catch(() => null);
    const newest = found?.data[0];
    const isSame = newest === undefined || this.#state.items.has(newest.id);
    if (!isSame || found?.pending_total !== this.#state.total) this.#readAnew();
  }

  /** The top now, all else when it is looked at. */
  #readAnew(): void {
    for (const id of this.#state.items.keys()) this.#stale.add(id);
    if (this.#state.status === 'failed') void this.load();
    else this.#readHeadSoon(ANEW_MS);
  }

  get #isByAge(): boolean {
    return this.#filters.sort === '' || this.#filters.sort === 'newest';
  }

  /** The newest, whatever the order of the list: what has come since is among them. */
  #readNewest(limit: number): Promise<InboxPage> {
    return this.#read(null, limit, '');
  }

  #read(cursor: string | null, limit: number, sort = this.#filters.sort): Promise<InboxPage> {
    return api.get<InboxPage>('/console/inbox', {
      query: { ...this.#filters, sort, cursor, limit },
      signal: this.#stop.signal,
    });
  }

  /** A filter that few match may end a page before it has found anything. */
  async #searchOn(): Promise<void> {
    for (let tries = 0; this.#state.nextCursor !== null && this.#state.ids.length < FEW; tries += 1) {
      if (this.#stop.signal.aborted || this.#state.error !== null) return;
      if (tries === MOST_FRUITLESS) {
        this.#set({ ...this.#state, stoppedEarly: true });
        return;
      }
      await this.loadMore();
    }
  }

  #readSoon(id: string): void {
    this.#changed.add(id);
    this.#gather(GATHER_MS);
  }

  #readHeadSoon(apartMs: number): void {
    this.#headWanted = true;
    this.#gather(Math.max(GATHER_MS, this.#headAt + apartMs - Date.now()));
  }

  #gather(delayMs: number): void {
    if (this.#gathering !== undefined || this.#stop.signal.aborted) return;
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      // The stream says when a gate that is away is back; then all of it is read anew.
      this.#catchUp().catch(() => undefined);
    }, delayMs);
  }

  async #catchUp(): Promise<void> {
    await this.#readChanged();
    if (!this.#headWanted) return;
    this.#headWanted = false;
    this.#headAt = Date.now();
    const page = await this.#readNewest(PAGE);
    if (this.#state.ids.length === 0 && !this.#isByAge) {
      await this.load();
      return;
    }
    for (const { id } of page.data) this.#stale.delete(id);
    this.#set(withHead(this.#state, page));
  }

  async #readChanged(): Promise<void> {
    while (this.#changed.size > 0) {
      const ids = [...this.#changed].slice(0, MOST_IDS);
      for (const id of ids) this.#changed.delete(id);
      const { data } = await api.get<{ data: InboxItem[] }>('/console/inbox/items', {
        query: { ids: ids.join() },
        signal: this.#stop.signal,
      });
      const before = this.#state.leaving;
      this.#set(withChanged(this.#state, data, (item) => this.#isAskedFor(item)));
      for (const id of this.#state.leaving.difference(before)) this.#leaveSoon(id);
      const found = new Set(data.map(({ id }) => id));
      this.#remove(ids.filter((id) => !found.has(id)));
    }
  }

  #isAskedFor(item: InboxItem): boolean {
    const { can_decide: wanted } = this.#filters;
    return wanted === '' || String(item.can_decide) === wanted;
  }

  #leaveSoon(id: string): void {
    clearTimeout(this.#timers.get(id));
    const leave = () => {
      this.#timers.delete(id);
      if (this.#open !== id) this.#remove([id]);
    };
    this.#timers.set(id, setTimeout(leave, LEAVE_MS));
  }

  #remove(gone: readonly string[]): void {
    if (gone.length === 0) return;
    this.#set(without(this.#state, gone));
    if (this.#state.ids.length < FEW) void this.loadMore();
  }

  #set(state: InboxState): void {
    if (this.#stop.signal.aborted) return;
    this.#state = state;
    for (const watcher of [...this.#watchers]) watcher();
  }
}
