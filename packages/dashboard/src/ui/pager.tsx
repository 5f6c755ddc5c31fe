import { Button } from './button.tsx';

/** Under a list: more of it, or that this is all. Fits `useInfiniteQuery`. */
export function Pager({
  hasMore,
  isLoading = false,
  onMore,
  shown,
}: {
  hasMore: boolean;
  isLoading?: boolean;
  onMore: () => void;
  /** How many stand above. */
  shown: number;
}) {
  if (!hasMore) return null;
  return (
    <div className="pager">
      <span className="soft small">{shown} shown</span>
      <Button busy={isLoading} onClick={onMore}>
        Load more
      </Button>
    </div>
  );
}
