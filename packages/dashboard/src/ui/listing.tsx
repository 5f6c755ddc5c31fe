import type { ComponentProps, ReactNode } from 'react';
import { Card } from './card.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorPanel } from './notice.tsx';
import { Pager } from './pager.tsx';
import { Waiting } from './waiting.tsx';

/** What of a query a list is about; with pages, there may be more. */
interface Asked {
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  fetchNextPage?: () => unknown;
}

/** A list as it comes: on its way, not to be read, with nothing in it, or what there is so far and a button for more. */
export function Listing({
  query,
  count,
  empty,
  isInCard = false,
  children,
}: {
  query: Asked;
  /** How many there are so far. */
  count: number;
  /** What is said where there are none. */
  empty: ComponentProps<typeof EmptyState>;
  /** It stands in a card already. */
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
