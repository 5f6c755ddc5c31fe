/** A list of similar objects as a table that scrolls in its own box. */
import type { JsonObject } from '@permitry/protocol';
import type { ReactNode } from 'react';
import { InertText } from '../inert-text/inert-text.tsx';
import * as words from './parameter-tree.words.ts';
import { childPointer, sayShown, type TableRow } from './tree-rows.ts';
import { ValueText } from './value-text.tsx';

const FOLD = 200;

/** @param notes Notes on rows and values, by pointer. */
export function ValueTable({
  row,
  notes,
}: {
  row: TableRow;
  notes: ReadonlyMap<string, string> | undefined;
}): ReactNode {
  const { pointer, name, columns, items, count } = row;
  const label = words.tableLabel(
    typeof name === 'string' ? name : words.at(Number(name)),
    sayShown({ count, shown: items.length, isTable: true }),
  );
  const numbers = new Set(columns.filter((column) => isOfNumbers(items, column)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
    <section className="value-table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span className="unseen">{words.index}</span>
            </th>
            {columns.map((column) => (
              <th key={column} scope="col" data-number={numbers.has(column) || undefined}>
                {column === '' ? words.emptyName : <InertText text={column} fold={80} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, index) => {
            const at = childPointer(pointer, index);
            return (
              <tr key={at}>
                <th scope="row">
                  {words.at(index)} <Note text={notes?.get(at)} />
                </th>
                {columns.map((column) => (
                  <td key={column} data-number={numbers.has(column) || undefined}>
                    <div className="value-cell">
                      <Cell item={item} column={column} />
                      <Note text={notes?.get(childPointer(at, column))} />
                    </div>
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ item, column }: { item: JsonObject; column: string }): ReactNode {
  const value = Object.hasOwn(item, column) ? item[column] : undefined;
  if (value === undefined) return <span className="value-note">{words.notSet}</span>;
  return <ValueText value={value} fold={FOLD} />;
}

function Note({ text }: { text: string | undefined }): ReactNode {
  return text === undefined ? null : <span className="tree-note">{text}</span>;
}

/** Whether a column contains only numbers, so that its digits are aligned. */
function isOfNumbers(items: readonly JsonObject[], column: string): boolean {
  return items.every((item) => !Object.hasOwn(item, column) || typeof item[column] === 'number');
}
