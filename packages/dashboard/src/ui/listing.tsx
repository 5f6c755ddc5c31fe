import type { ComponentProps, ReactNode } from 'react';
import { Card } from './card.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorPanel } from './notice.tsx';
import { Pager } from './pager.tsx';
import { Waiting } from './waiting.tsx';

/** The state of a query that a list needs; a paged query may have more. */
interface Asked {
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  fetchNextPage?: () => unknown;
}

/** A list in each of its states: loading, failed, empty, or the items so far and a button for more. */
export function Listing({
  query,
  count,
  empty,
  isInCard = false,
  children,
}: {
  query: Asked;
  /** The number of items so far. */
  count: number;
  /** The text when there are none. */
  empty: ComponentProps<typeof EmptyState>;
  /** The list is already inside a card. */
  isInCard?: boolean;
  children: ReactNode;
}) {
  const { error, isPending, refetch, hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = query;
  const nothing = <EmptyState {...empty} />;
  return (
    <>
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {isPending && <Waiting />}
      {!isPending && !error && count === 0 && (isInCard ? nothing : <Card>{nothing}</Card>)}
      {count > 0 && (isInCard ? children : <Card flush>{children}</Card>)}
      {fetchNextPage && (
        <Pager
          hasMore={hasNextPage}
          isLoading={isFetchingNextPage}
          onMore={() => void fetchNextPage()}
          shown={count}
        />
      )}
    </>
  );
}
