/**
 * Keeps the inbox up to date. One decision must not reload a list of ten thousand: the stream says which requests
 * changed, and the store reads only those.
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
  /** The hash of the request as shown. */
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
/** Below this number of rows, load more. */
const FEW = 20;
/** The most pages to read in a row while the filter matches almost nothing. */
const MOST_FRUITLESS = 6;
/** Changes within this time are read together. */
const GATHER_MS = 150;
/** The time between two reads of the top. A busy gate reports many changes a second, and people read no faster. */
const HEAD_MS = 500;
const ANEW_MS = 2000;
const JUST_LOADED_MS = 5000;
const LEAVE_MS = 4000;

export class InboxStore {
  readonly #filters: InboxFilters;
  readonly #watchers = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #changed = new Set<string>();
  /** Rows that were read before events were missed. The store reads them again when they come into view. */
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

  /** @param resumed The state of an earlier store with the same filters, from when the person left its page. */
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

  /** Reads the list, or what has changed in it since the person left. */
  start(): void {
    if (!this.#isResumed) {
      void this.load();
      return;
    }
    this.#loadedAt = Date.now();
    this.#readAgain();
  }

  /** Reads the list from the start. */
  async load(): Promise<void> {
    try {
      // Reads the newest request before the list: a request that arrives in between then counts as new and is not lost.
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

  /** The person pressed the bar. */
  showArrived(): void {
    if (this.#state.manyArrived || !this.#isByAge) void this.load();
    else this.#set(withArrivedShown(this.#state));
  }

  /** The selected request stays in the list while it is open. */
  keepOpen(id: string | undefined): void {
    const before = this.#open;
    this.#open = id;
    if (before !== undefined && before !== id && this.#state.leaving.has(before)) this.#leaveSoon(before);
  }

  onChange({ intent_id: id, type }: Change): void {
    if (type === 'many') this.#readAgain();
    else if (id === null) {
      // The members, the groups or the policy changed, and with them possibly the approvers of any request.
      if (/^(member|group|policy|project)\./.test(type)) this.#readAgain();
    } else if (this.#state.items.has(id)) this.#readSoon(id);
    else if (type.startsWith('intent.')) this.#readHeadSoon(HEAD_MS);
  }

  /** Events may have been missed. */
  onReset(): void {
    if (this.#state.status === 'loading') this.#missedWhileLoading = true;
    else if (Date.now() - this.#loadedAt < JUST_LOADED_MS) void this.#checkForNew();
    else this.#readAgain();
  }

  /** These rows are visible. */
  refreshStale(ids: readonly string[]): void {
    for (const id of ids) if (this.#stale.delete(id)) this.#readSoon(id);
  }

  async decide(decisions: readonly Decision[]): Promise<DecisionResult[]> {
    const { data } = await api.post<{ data: DecisionResult[] }>('/console/decisions', { decisions });
    this.#set(withRefusals(this.#state, data));
    for (const { intent_id: id } of data) this.#changed.add(id);
    // The decisions are recorded, even if the new state of the requests cannot be read at the moment.
    await this.#readChanged().catch(() => undefined);
    return data;
  }

  /** The stream started right after the list was read, so most often nothing arrived in between. */
  async #checkForNew(): Promise<void> {
    this.#loadedAt = 0;
    const found = await this.#readNewest(1).catch(() => null);
    const newest = found?.data[0];
    const isSame = newest === undefined || this.#state.items.has(newest.id);
    if (!isSame || found?.pending_total !== this.#state.total) this.#readAgain();
  }

  /** Reads the top now, and everything else when it comes into view. */
  #readAgain(): void {
    for (const id of this.#state.items.keys()) this.#stale.add(id);
    if (this.#state.status === 'failed') void this.load();
    else this.#readHeadSoon(ANEW_MS);
  }

  get #isByAge(): boolean {
    return this.#filters.sort === '' || this.#filters.sort === 'newest';
  }

  /** Reads the newest requests, whatever the order of the list. They include all that arrived since. */
  #readNewest(limit: number): Promise<InboxPage> {
    return this.#read(null, limit, '');
  }

  #read(cursor: string | null, limit: number, sort = this.#filters.sort): Promise<InboxPage> {
    return api.get<InboxPage>('/console/inbox', {
      query: { ...this.#filters, sort, cursor, limit },
      signal: this.#stop.signal,
    });
  }

  /** A filter with few matches may end a page before it has found anything. */
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
      // When an unreachable gate returns, the stream says so, and everything is read again.
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
