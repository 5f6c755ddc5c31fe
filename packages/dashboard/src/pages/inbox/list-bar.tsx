import { useEffect } from 'react';
import { announce } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import type { InboxState } from './inbox-state.ts';
import { MOST_CHECKED, type Selection } from './use-selection.ts';

/**
 * Stands over the list, always: ticking all, and what has arrived. That waits until one wants it, so that nothing moves
 * under a finger.
 */
export function ListBar({
  state,
  selection,
  onShow,
}: {
  state: InboxState;
  selection: Selection;
  onShow: () => void;
}) {
  const arrived = state.arriving.length;
  useEffect(() => {
    if (arrived > 0) announce(`${arrived} new ${arrived === 1 ? 'request' : 'requests'}`);
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
            ? `${selection.checked.size} selected`
            : `Select all, at most ${MOST_CHECKED}`}
        </span>
      </label>
      {arrived > 0 ? (
        <Button tone="primary" size="s" onClick={onShow}>
          {arrived}
          {state.manyArrived && '+'} new
        </Button>
      ) : (
        <span className="small soft">Newest first</span>
      )}
    </div>
  );
}
