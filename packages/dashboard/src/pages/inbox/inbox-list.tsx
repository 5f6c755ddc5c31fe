import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import * as words from './inbox.words.ts';
import { InboxRow, type RowActions } from './inbox-row.tsx';
import type { InboxState } from './inbox-state.ts';

interface ListProps {
  state: InboxState;
  selectedId: string | undefined;
  /** The row that was visible when the person left the page; drawn at once. */
  anchorId: string | undefined;
  checked: ReadonlySet<string>;
  isWide: boolean;
  showsProject: boolean;
  me: string;
  actions: RowActions;
  onShown: (ids: readonly string[]) => void;
  onEnd: () => void;
  /** The scrolling element; null means the page. */
  scroller: HTMLElement | null;
}

const BLOCK = 25;
const LIKELY_ROW_PX = 112;

/**
 * Rows in blocks. Only the blocks near the visible area are rendered; the others are empty space of the same height. So
 * thousands of requests cost the page no more than fifty, and no row needs a fixed height.
 */
export function InboxList({ state, selectedId, onEnd, ...rest }: ListProps) {
  const { ids } = state;
  const blocks = Array.from({ length: Math.ceil(ids.length / BLOCK) }, (_, n) =>
    ids.slice(n * BLOCK, (n + 1) * BLOCK),
  );
  return (
    <>
      <div className="inbox-list">
        {blocks.map((block, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a block is its position; its rows have keys of their own
          <Block key={n} first={n * BLOCK + 1} ids={block} state={state} selectedId={selectedId} {...rest} />
        ))}
      </div>
      <End
        key={ids.length}
        scroller={rest.scroller}
        hasMore={state.nextCursor !== null && !state.stoppedEarly}
        onEnd={onEnd}
      />
    </>
  );
}

function Block({
  first,
  ids,
  state,
  selectedId,
  anchorId,
  checked,
  isWide,
  showsProject,
  me,
  actions,
  onShown,
  scroller,
}: Omit<ListProps, 'onEnd'> & { first: number; ids: readonly string[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const height = useRef(ids.length * LIKELY_ROW_PX);
  const [isNear, setNear] = useState(anchorId !== undefined && ids.includes(anchorId));
  const isShown = isNear || (selectedId !== undefined && ids.includes(selectedId));

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), {
      root: scroller,
      rootMargin: '800px 0px',
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);

  useLayoutEffect(() => {
    if (isShown && frame.current) height.current = frame.current.offsetHeight;
  });

  const names = ids.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values of the ids matter, not the array
  useEffect(() => {
    if (isShown) onShown(ids);
  }, [isShown, names, onShown]);

  return (
    <div ref={frame} className="inbox-block" style={isShown ? undefined : { height: height.current }}>
      {isShown && (
        <ul className="inbox-rows" aria-label={words.part(first, first + ids.length - 1)}>
          {ids.map((id) => {
            const item = state.items.get(id);
            if (!item) return null;
            return (
              <InboxRow
                key={id}
                item={item}
                isSelected={id === selectedId}
                isChecked={checked.has(id)}
                isLeaving={state.leaving.has(id)}
                refused={state.refused.get(id)}
                isWide={isWide}
                showsProject={showsProject}
                me={me}
                actions={actions}
              />
            );
          })}
        </ul>
      )}
    </div>
  );
}

/** The end of the list. Loads more rows when it comes near the visible area. */
function End({ hasMore, onEnd, scroller }: Pick<ListProps, 'onEnd' | 'scroller'> & { hasMore: boolean }) {
  const mark = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = mark.current;
    if (!element || !hasMore) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onEnd(), {
      root: scroller,
      rootMargin: '1200px 0px',
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasMore, onEnd, scroller]);
  return <div ref={mark} />;
}
