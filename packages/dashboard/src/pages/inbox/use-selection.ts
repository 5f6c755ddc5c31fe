import { useCallback, useEffect, useMemo, useState } from 'react';
import { toast } from '../../ui/announce.tsx';
import * as words from './inbox.words.ts';
import type { InboxItem } from './inbox-item.ts';
import type { InboxState } from './inbox-state.ts';
import type { InboxStore } from './inbox-store.ts';

export const MOST_CHECKED = 100;

export interface Selection {
  /** The request that is open. */
  selected: InboxItem | undefined;
  /** The ticked requests, for a decision on all of them. */
  checked: ReadonlySet<string>;
  checkedItems: readonly InboxItem[];
  select(id: string): void;
  /** To the next row (1) or the previous one (-1). */
  move(step: 1 | -1): void;
  check(id: string, isChecked: boolean): void;
  checkAll(ids: readonly string[]): void;
  uncheck(ids: readonly string[]): void;
  clear(): void;
}

export function useSelection(
  store: InboxStore,
  state: InboxState,
  isWide: boolean,
  first: string | undefined,
): Selection {
  const [selectedId, setSelectedId] = useState(first);
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set());

  // Next to the list there is always an open request: the first, until the person picks another.
  const isThere = selectedId !== undefined && state.items.has(selectedId);
  const shownId = isThere ? selectedId : isWide ? state.ids[0] : undefined;
  const selected = shownId === undefined ? undefined : state.items.get(shownId);

  useEffect(() => store.keepOpen(shownId), [store, shownId]);

  const select = useCallback((id: string) => setSelectedId(id), []);
  const move = (step: 1 | -1) => {
    const { ids } = state;
    const index = shownId === undefined ? -1 : ids.indexOf(shownId);
    // On a phone with a keyboard, nothing is selected at first: the first key press selects the first row.
    const next = ids[index < 0 ? 0 : Math.min(ids.length - 1, Math.max(0, index + step))];
    if (next === undefined) return;
    setSelectedId(next);
    focusRow(next);
  };
  const check = useCallback((id: string, isChecked: boolean) => {
    setChecked((before) => {
      const next = new Set(before);
      if (!isChecked) next.delete(id);
      else if (next.size < MOST_CHECKED) next.add(id);
      else toast(words.selectionFull(MOST_CHECKED), 'info');
      return next;
    });
  }, []);
  const uncheck = useCallback((ids: readonly string[]) => {
    setChecked((before) => before.difference(new Set(ids)));
  }, []);
  const checkAll = useCallback((ids: readonly string[]) => setChecked(new Set(ids)), []);
  const clear = useCallback(() => setChecked(new Set()), []);

  // Unticks requests that can no longer be decided here, because they were decided elsewhere or are gone.
  const checkedItems = useMemo(
    () => [...checked].flatMap((id) => state.items.get(id) ?? []).filter((item) => item.in_place),
    [checked, state.items],
  );
  useEffect(() => {
    if (checkedItems.length < checked.size) setChecked(new Set(checkedItems.map(({ id }) => id)));
  }, [checkedItems, checked]);

  return { selected, checked, checkedItems, select, move, check, checkAll, uncheck, clear };
}

/** Screen readers follow the focus. The row may have to be rendered first. */
function focusRow(id: string): void {
  requestAnimationFrame(() => {
    const row = document.querySelector<HTMLElement>(`.inbox-row[data-id="${id}"]`);
    row?.scrollIntoView({ block: 'nearest' });
    row?.querySelector<HTMLElement>('.inbox-action')?.focus({ preventScroll: true });
  });
}
