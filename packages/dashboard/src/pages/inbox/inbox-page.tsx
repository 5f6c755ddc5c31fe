/** Pending requests: read, and decided one at a time or together, by mouse or keyboard. */

import { onlineManager } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { useSignedIn } from '../../api/session.ts';
import { useOnline } from '../../api/use-online.ts';
import { useKeepsScrollPosition, useKept } from '../../app-shell/left-lists.ts';
import { notAnApprover } from '../../decide/why-not.words.ts';
import { announce, toast } from '../../ui/announce.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { later } from '../../ui/later.tsx';
import { ErrorPanel, messageOf } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { useMediaQuery } from '../../ui/use-media-query.ts';
import { useShortcuts } from '../../ui/use-shortcuts.ts';
import { Skeleton, Spinner } from '../../ui/waiting.tsx';
import { FilterBar } from './filter-bar.tsx';
import * as words from './inbox.words.ts';
import { isFiltered, readFilters, withFilter } from './inbox-filters.ts';
import { InboxList } from './inbox-list.tsx';
import type { RowActions } from './inbox-row.tsx';
import type { InboxState } from './inbox-state.ts';
import { ListBar } from './list-bar.tsx';
import { LiveStatus } from './live-status.tsx';
import * as listWords from './request-list.words.ts';
import { useDeciding } from './use-deciding.ts';
import { useInbox } from './use-inbox.ts';
import { useSelection } from './use-selection.ts';
import { WaitingProposals } from './waiting-proposals.tsx';
import '../../decide/decide.css';
import './inbox.css';

/** There is space for a request next to the list. */
const WIDE = '(min-width: 64rem)';

// Loaded on demand, so that the list appears sooner.
const loadDetail = () => import('./inbox-detail.tsx');
const InboxDetail = later(
  loadDetail,
  'InboxDetail',
  <div className="inbox-detail card">
    <Skeleton lines={4} label={words.loadingRequest} />
  </div>,
);
// Only a wide page shows the selected request next to the list, and it does so from the start. So its code loads while
// the list is being read.
if (matchMedia(WIDE).matches) void loadDetail();
const BatchBar = later(() => import('./batch-bar.tsx'), 'BatchBar');
const DecideSheet = later(() => import('./decide-sheet.tsx'), 'DecideSheet');
const InboxEmpty = later(() => import('./inbox-empty.tsx'), 'InboxEmpty');
const InboxNoMatch = later(() => import('./inbox-empty.tsx'), 'InboxNoMatch');
const ShortcutHelp = later(() => import('../../ui/shortcut-help.tsx'), 'ShortcutHelp');

export default function InboxPage() {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  const left = useKept<{ state: InboxState; selectedId: string | undefined }>('/inbox');
  const { store, state } = useInbox(filters, left.kept?.state);
  const { memberships, user } = useSignedIn();
  const navigate = useNavigate();
  const isWide = useMediaQuery(WIDE);
  const isOffline = !useOnline();
  const search = useRef<HTMLElement>(null);
  const [column, setColumn] = useState<HTMLElement | null>(null);
  const scroller = isWide ? column : null;
  const [isHelpOpen, setHelpOpen] = useState(false);

  const selection = useSelection(store, state, isWide, left.kept?.selectedId);
  const deciding = useDeciding(store, state, selection);
  const { selected } = selection;
  // A list that has not been read yet has no position to keep.
  const kept = state.status === 'ready' ? { state, selectedId: selected?.id } : undefined;
  useKeepsScrollPosition('/inbox', isWide ? (column ?? undefined) : null, kept);

  const open = (id: string | undefined) => id !== undefined && navigate(`/approve/${id}`);
  const ask = useCallback(
    (id: string, decision: 'approve' | 'deny') => {
      const item = store.state().items.get(id);
      if (item?.status !== 'pending') return;
      if (!onlineManager.isOnline()) toast(listWords.offline, 'bad');
      else if (item.can_decide && !item.in_place) navigate(`/approve/${id}`);
      else if (item.in_place) deciding.ask(id, decision);
      else announce(notAnApprover);
    },
    [store, navigate, deciding.ask],
  );
  const actions: RowActions = useMemo(
    () => ({ select: selection.select, check: selection.check, decide: ask }),
    [selection.select, selection.check, ask],
  );
  const askSelected = (decision: 'approve' | 'deny') => {
    if (selection.checked.size > 0) deciding.askMany(decision);
    else if (selected) ask(selected.id, decision);
  };
  useShortcuts({
    j: () => selection.move(1),
    k: () => selection.move(-1),
    o: () => open(selected?.id),
    Enter: () => open(selected?.id),
    a: () => askSelected('approve'),
    d: () => askSelected('deny'),
    x: () => selected?.in_place && selection.check(selected.id, !selection.checked.has(selected.id)),
    n: () => showArrived(),
    '/': () => search.current?.querySelector('input')?.focus(),
    '?': () => setHelpOpen(true),
    Escape: () => (deciding.one ? deciding.cancel() : selection.clear()),
  });

  const showArrived = () => {
    const first = state.arriving[0];
    store.showArrived();
    (scroller ?? window).scrollTo({ top: 0 });
    if (first !== undefined && isWide) selection.select(first);
  };
  const onShown = useCallback((ids: readonly string[]) => store.refreshStale(ids), [store]);
  const onEnd = useCallback(() => void store.loadMore(), [store]);
  const count = `${formatCount(state.total)}${state.totalIsMore ? '+' : ''}`;
  const asked = deciding.one ? state.items.get(deciding.one.id) : undefined;

  return (
    <Page
      title={words.title}
      documentTitle={state.total > 0 ? words.titleWith(count) : words.title}
      actions={
        <>
          <span className="soft small" data-testid="inbox-total">
            {state.status === 'ready' && words.pending(count)}
          </span>
          <LiveStatus />
          <IconButton
            icon="info"
            label={words.shortcuts}
            className="with-keyboard"
            onClick={() => setHelpOpen(true)}
          />
        </>
      }
    >
      <WaitingProposals />
      <FilterBar search={search} />
      <div
        className="inbox"
        data-wide={isWide || undefined}
        data-detail={(isWide && selected !== undefined) || undefined}
      >
        <section className="inbox-column" ref={setColumn} aria-label={words.list}>
          <ListBar
            state={state}
            selection={selection}
            onShow={showArrived}
            sort={filters.sort}
            onSort={(sort) => setParams((before) => withFilter(before, 'sort', sort), { replace: true })}
          />
          {state.status === 'loading' && <Skeleton lines={12} label={words.loading} />}
          {state.status === 'failed' && <ErrorPanel error={state.error} onRetry={() => void store.load()} />}
          {state.status === 'ready' && state.ids.length === 0 && !state.loadingMore && (
            <Nothing
              isFiltered={isFiltered(filters)}
              state={state}
              onMore={onEnd}
              onClear={() => setParams(filters.sort === '' ? {} : { sort: filters.sort }, { replace: true })}
            />
          )}
          {state.ids.length > 0 && (
            <InboxList
              state={state}
              selectedId={selected?.id}
              anchorId={left.anchorId}
              checked={selection.checked}
              isWide={isWide}
              showsProject={memberships.length > 1}
              me={user.email}
              actions={actions}
              onShown={onShown}
              onEnd={onEnd}
              scroller={scroller}
            />
          )}
          <More state={state} onMore={onEnd} />
          {selection.checkedItems.length > 0 && (
            <BatchBar
              items={selection.checkedItems}
              isBusy={deciding.isBusy}
              isOffline={isOffline}
              asking={deciding.many}
              onAsk={deciding.askMany}
              onDecide={deciding.confirmMany}
              onClear={selection.clear}
            />
          )}
        </section>
        {isWide && selected && (
          <InboxDetail
            item={selected}
            deciding={deciding.one?.id === selected.id ? deciding.one.decision : null}
            isBusy={deciding.isBusy}
            refused={state.refused.get(selected.id)}
            isOffline={isOffline}
            me={user.email}
            onAsk={(decision) => ask(selected.id, decision)}
            onDecide={deciding.confirm}
            onCancel={deciding.cancel}
          />
        )}
      </div>
      {!isWide && asked && deciding.one && (
        <DecideSheet
          key={`${asked.id} ${deciding.one.decision}`}
          id={asked.id}
          decision={deciding.one.decision}
          isBusy={deciding.isBusy}
          isOffline={isOffline}
          onDecide={deciding.confirm}
          onCancel={deciding.cancel}
        />
      )}
      {isHelpOpen && <ShortcutHelp open keys={words.keys} onClose={() => setHelpOpen(false)} />}
    </Page>
  );
}

function Nothing({
  isFiltered: filtered,
  state,
  onMore,
  onClear,
}: {
  isFiltered: boolean;
  state: InboxState;
  onMore: () => void;
  onClear: () => void;
}) {
  if (!filtered) return <InboxEmpty />;
  return <InboxNoMatch stoppedEarly={state.stoppedEarly} onMore={onMore} onClear={onClear} />;
}

function More({ state, onMore }: { state: InboxState; onMore: () => void }) {
  if (state.status !== 'ready' || state.ids.length === 0) return null;
  if (state.error) {
    return (
      <ErrorPanel error={state.error} title={messageOf(state.error) && words.moreFailed} onRetry={onMore} />
    );
  }
  if (state.loadingMore) {
    return (
      <p className="inbox-end-of-list soft small">
        <Spinner /> {words.loadingMore}
      </p>
    );
  }
  if (state.stoppedEarly) {
    return (
      <p className="inbox-end-of-list">
        <Button onClick={onMore}>{listWords.keepSearching}</Button>
      </p>
    );
  }
  return null;
}
