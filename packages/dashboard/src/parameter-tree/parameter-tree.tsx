/** Parameters as a tree with keyboard navigation (WAI-ARIA tree view pattern). */

import type { JsonObject } from '@permitry/protocol';
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { Fold } from '../inert-text/folds.tsx';
import { InertText } from '../inert-text/inert-text.tsx';
import './parameter-tree.css';
import * as words from './parameter-tree.words.ts';
import { moveIn } from './tree-keys.ts';
import {
  type AnyRow,
  countOf,
  type Opened,
  openAll,
  openAtFirst,
  STEP,
  sayShown,
  toRows,
} from './tree-rows.ts';
import { ValueTable } from './value-table.tsx';
import { sayKind, ValueText } from './value-text.tsx';

/**
 * @param label The name for screen readers.
 * @param notes Notes on values, by pointer, e.g. that a value has changed since last time.
 * @example <ParameterTree params={params} label="Parameters" />
 */
export function ParameterTree({
  params,
  label,
  notes,
}: {
  params: JsonObject;
  label: string;
  notes?: ReadonlyMap<string, string>;
}): ReactNode {
  const [opened, setOpened] = useState<Opened>(() => openAtFirst(params));
  const [current, setCurrent] = useState(0);
  const tree = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => toRows(params, opened), [params, opened]);
  const hasClosed = rows.some((row) => 'isOpen' in row && row.count !== null && row.count > 0 && !row.isOpen);

  if (countOf(params) === 0) return <p className="tree-empty">{words.noParameters}</p>;

  const open = (pointer: string, shown: number) => setOpened(new Map(opened).set(pointer, shown));
  const toggle = (row: AnyRow) => {
    if (row.kind === 'table') return;
    if (row.kind === 'more') open(row.pointer, (opened.get(row.pointer) ?? 0) + STEP);
    else if (row.count) open(row.pointer, row.isOpen ? 0 : STEP);
  };
  const focus = (index: number) => {
    setCurrent(index);
    tree.current?.querySelector<HTMLElement>(`[data-row="${index}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Controls inside a row, such as "show more", handle their own keys.
    if ((event.target as HTMLElement).getAttribute('role') !== 'treeitem') return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const move = moveIn(rows, current, event.key);
    if (!move) return;
    event.preventDefault();
    const row = rows[current];
    if (move.kind === 'focus') focus(move.index);
    else if (row) toggle(row);
  };

  return (
    <>
      <div ref={tree} role="tree" aria-label={label} className="tree" onKeyDown={onKeyDown}>
        {rows.map((row, index) => (
          <Row
            key={`${row.kind === 'more' || row.kind === 'table' ? row.kind : ''}${row.pointer}`}
            row={row}
            notes={notes}
            index={index}
            isCurrent={index === Math.min(current, rows.length - 1)}
            onFocus={() => setCurrent(index)}
            onToggle={() => toggle(row)}
          />
        ))}
      </div>
      {hasClosed && (
        <button type="button" className="tree-all" onClick={() => setOpened(openAll(params))}>
          {words.expandAll}
        </button>
      )}
    </>
  );
}

interface RowProps {
  notes: ReadonlyMap<string, string> | undefined;
  index: number;
  isCurrent: boolean;
  onFocus: () => void;
  onToggle: () => void;
}

function Row({ row, notes, index, isCurrent, onFocus, onToggle }: RowProps & { row: AnyRow }): ReactNode {
  const shared = {
    'data-row': index,
    'aria-level': row.level,
    onFocus,
    style: { '--level': row.level - 1 } as React.CSSProperties,
  } as const;
  if (row.kind === 'more') {
    const hidden = row.count - row.shown;
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of all its rows
      <div
        role="treeitem"
        tabIndex={isCurrent ? 0 : -1}
        {...shared}
        className="tree-row tree-more"
        onClick={onToggle}
      >
        <Fold name={row.name} size={sayShown(row)} />
        {words.showMore(Math.min(hidden, STEP), hidden)}
      </div>
    );
  }
  if (row.kind === 'table') {
    return (
      <div role="treeitem" tabIndex={isCurrent ? 0 : -1} {...shared} className="tree-row tree-table">
        <ValueTable row={row} notes={notes} />
      </div>
    );
  }
  const note = notes?.get(row.pointer);
  const isGroup = row.count !== null && row.count > 0;
  return (
    <div
      role="treeitem"
      tabIndex={isCurrent ? 0 : -1}
      {...shared}
      className="tree-row"
      aria-setsize={row.siblings}
      aria-posinset={row.position}
      aria-expanded={isGroup ? row.isOpen : undefined}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the row has the role and the keys */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of all its rows */}
      <span className="tree-name" data-group={isGroup || undefined} onClick={isGroup ? onToggle : undefined}>
        {isGroup && (
          <span className="tree-mark" aria-hidden="true">
            {row.isOpen ? '▾' : '▸'}
          </span>
        )}
        <RowName name={row.name} />
      </span>{' '}
      {isGroup ? (
        <span className="tree-kind">
          {row.isOpen && (row.shown < (row.count ?? 0) || row.isTable)
            ? sayShown({ ...row, count: row.count ?? 0 })
            : sayKind(row.kind as 'object' | 'array', row.count)}
        </span>
      ) : (
        <>
          <ValueText value={row.value} />{' '}
          <span className="tree-kind">{row.count === 0 ? '' : sayKind(row.kind, null)}</span>
        </>
      )}
      {isGroup && !row.isOpen && <Fold />}
      {note !== undefined && <span className="tree-note">{note}</span>}
    </div>
  );
}

function RowName({ name }: { name: string | number | null }): ReactNode {
  if (typeof name === 'number') return <span className="tree-place">{words.at(name)}</span>;
  if (name === '') return <span className="tree-place">{words.emptyName}</span>;
  return <InertText text={name ?? ''} fold={200} />;
}
