/** All decided and expired requests, back to the first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { queryClient } from '../../api/query-client.ts';
import { readingPages } from '../../api/reading.ts';
import { useSignedIn } from '../../api/session.ts';
import { useKeepsScrollPosition } from '../../app-shell/left-lists.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { useLive } from '../../live/live.ts';
import { ModeBadge, RiskBadge, StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { Skeleton } from '../../ui/waiting.tsx';
import { ExcerptLine } from '../inbox/excerpt-line.tsx';
import { isFiltered, withFilter } from '../inbox/inbox-filters.ts';
import { type InboxItem, sayBy } from '../inbox/inbox-item.ts';
import * as words from './history.words.ts';
import { dayAfter, HistoryFilters, readHistoryFilters } from './history-filters.tsx';
import './history.css';
import type { Wire } from '../../api/wire.ts';

export default function HistoryPage() {
  const [params, setParams] = useSearchParams();
  const filters = readHistoryFilters(params);
  const queryKey = ['history', filters];
  const [isOld, setOld] = useState(false);
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery(
    readingPages<Wire<'HistoryPage'>>(queryKey, '/console/history', {
      ...filters,
      to: dayAfter(filters.to),
      limit: 50,
    }),
  );
  useKeepsScrollPosition('/history', data ? null : undefined, undefined);
  // The list never refreshes while a person reads. They get a notice and choose.
  useLive({
    onChange: ({ type }) => /^intent\.(approved|denied|expired)$|^many$/.test(type) && setOld(true),
    onReset: () => undefined,
  });

  const items = data?.pages.flatMap((page) => page.data) ?? [];
  const hasFilters = isFiltered(filters);
  const set = (name: string) => (value: string) =>
    setParams((before) => withFilter(before, name, value), { replace: true });
  const readAgain = () => {
    setOld(false);
    void queryClient.resetQueries({ queryKey });
  };

  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        isOld && (
          <Button icon="refresh" onClick={readAgain}>
            {words.showNewer}
          </Button>
        )
      }
    >
      <HistoryFilters filters={filters} set={set} />
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton lines={10} label={words.loading} />}
      {data && items.length === 0 && !hasNextPage && (
        <EmptyState
          icon="history"
          {...(hasFilters ? words.noMatch : words.empty)}
          actions={
            hasFilters && (
              <Button onClick={() => setParams({}, { replace: true })}>{words.noMatch.clear}</Button>
            )
          }
        />
      )}
      {items.length > 0 && (
        <Card flush>
          <Table caption={words.title} columns={COLUMNS} rows={items} />
        </Card>
      )}
      {data && items.length === 0 && hasNextPage && <p className="soft">{words.notSearchedYet}</p>}
      <Pager
        hasMore={hasNextPage}
        isLoading={isFetchingNextPage}
        onMore={() => void fetchNextPage()}
        shown={items.length}
      />
    </Page>
  );
}

const COLUMNS: Readonly<Record<string, (item: InboxItem) => ReactNode>> = {
  [words.columns.request]: (item) => (
    <div className="history-what">
      <Link to={`/approve/${item.id}`} className="reachable">
        <InertText text={item.action} />
      </Link>
      {item.params_preview.text !== '' && (
        <div className="history-params mono soft">
          <ExcerptLine {...item.params_preview} />
        </div>
      )}
    </div>
  ),
  [words.columns.outcome]: (item) => (
    <div className="history-end">
      <StatusBadge status={item.status} />
      <div className="small soft">
        <SayBy item={item} />
        {item.reason && (
          <>
            : <InertText text={item.reason} fold={200} />
          </>
        )}
      </div>
    </div>
  ),
  [words.columns.requester]: (item) => (
    <div>
      <InertText text={item.source ?? item.requester.display} />
      <div className="small soft">
        <InertText text={item.project_name} /> {item.mode === 'test' && <ModeBadge mode="test" />}
      </div>
    </div>
  ),
  [words.columns.risk]: (item) => (
    <span>
      <RiskBadge tier={item.risk_tier} isRated={item.risk_rated} />
    </span>
  ),
  [words.columns.requested]: (item) => <RelativeTime at={item.created_at} />,
};

function SayBy({ item }: { item: InboxItem }) {
  const { user } = useSignedIn();
  return <InertText text={sayBy(item, user.email)} />;
}
