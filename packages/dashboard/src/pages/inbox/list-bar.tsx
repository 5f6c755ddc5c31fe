import { useEffect } from 'react';
import { announce } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { BareSelect } from '../../ui/select.tsx';
import * as words from './inbox.words.ts';
import type { InboxState } from './inbox-state.ts';
import { MOST_CHECKED, type Selection } from './use-selection.ts';

const ORDERS = [
  { value: '', label: words.newestFirst },
  { value: 'expiring', label: words.expiringSoon },
  { value: 'risk', label: words.highestRisk },
];

/**
 * Always above the list: select all, the sort order, and the arrived requests. Arrived requests appear only after a
 * press, so that no row moves while a person points at it.
 */
export function ListBar({
  state,
  selection,
  onShow,
  sort,
  onSort,
}: {
  state: InboxState;
  selection: Selection;
  onShow: () => void;
  sort: string;
  onSort: (sort: string) => void;
}) {
  const arrived = state.arriving.length;
  useEffect(() => {
    if (arrived > 0) announce(words.requestsArrived(arrived));
  }, [arrived]);
  if (state.ids.length === 0) return null;

  const ids = state.ids.filter((id) => state.items.get(id)?.in_place).slice(0, MOST_CHECKED);
  const isAll = ids.length > 0 && ids.every((id) => selection.checked.has(id));
  return (
    <div className="inbox-bar">
      <label className="inbox-all">
        <input
          type="checkbox"
          checked={isAll}
          disabled={ids.length === 0}
          ref={(box) => {
            if (box) box.indeterminate = !isAll && selection.checked.size > 0;
          }}
          onChange={() => (isAll ? selection.clear() : selection.checkAll(ids))}
        />
        <span className="small soft">
          {selection.checked.size > 0
            ? words.selected(selection.checked.size)
            : words.selectAll(MOST_CHECKED)}
        </span>
      </label>
      <span className="inbox-order">
        {arrived > 0 && (
          <Button tone="primary" size="s" onClick={onShow}>
            {words.arrived(arrived, state.manyArrived)}
          </Button>
        )}
        <BareSelect
          aria-label={words.sortBy}
          value={sort === 'newest' ? '' : sort}
          options={ORDERS}
          onChange={(event) => onSort(event.target.value)}
        />
      </span>
    </div>
  );
}
