import { Button } from './button.tsx';
import * as words from './lists.words.ts';

/** Below a list: a button for more, or a note that this is all. Fits `useInfiniteQuery`. */
export function Pager({
  hasMore,
  isLoading = false,
  onMore,
  shown,
}: {
  hasMore: boolean;
  isLoading?: boolean;
  onMore: () => void;
  /** The number of items above. */
  shown: number;
}) {
  if (!hasMore) return null;
  return (
    <div className="pager">
      <span className="soft small">{words.shown(shown)}</span>
      <Button busy={isLoading} onClick={onMore}>
        {words.loadMore}
      </Button>
    </div>
  );
}
