// biome-ignore-all lint/a11y/noRedundantRoles: phones lay the cells out as blocks, which removes the roles of a table
import type { ReactNode } from 'react';
import * as words from './lists.words.ts';

type Cell<Row> = (row: Row) => ReactNode;

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  caption: string;
  rows: readonly Row[];
  /** By header text. The first column names the row: it is bold, and the heading of its card on a phone. */
  columns: Readonly<Record<string, Cell<Row>>>;
  /** Headers of right-aligned columns, such as numbers. */
  numbers?: readonly string[];
  /** Buttons in the last column, which has no visible header. Undefined for people who can only read. */
  actions?: Cell<Row> | undefined;
  actionsLabel?: string;
  /** The key of a row. Default: its `id`. */
  rowKey?: (row: Row) => string;
}

/** Rows and columns. On a phone each row is a card, with the column name on every line. */
export function Table<Row>({
  caption,
  rows,
  columns,
  numbers = [],
  actions,
  actionsLabel = words.rowActions,
  rowKey = idOf,
}: TableProps<Row>) {
  const cells = Object.entries(columns);
  return (
    <table className="table" role="table">
      <caption className="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {cells.map(([header]) => (
            <th
              key={header}
              scope="col"
              role="columnheader"
              data-align={numbers.includes(header) ? 'end' : undefined}
            >
              {header}
            </th>
          ))}
          {actions && (
            <th scope="col" role="columnheader" data-align="end">
              <span className="unseen">{actionsLabel}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={rowKey(row)} role="row">
            {cells.map(([header, cell], at) => (
              <td
                key={header}
                role="cell"
                data-label={header}
                data-align={numbers.includes(header) ? 'end' : undefined}
                className={at === 0 ? 'primary' : undefined}
              >
                {cell(row)}
              </td>
            ))}
            {actions && (
              <td role="cell" data-label={actionsLabel} data-align="end" className="actions">
                <div className="button-row">{actions(row)}</div>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function idOf(row: unknown): string {
  return (row as { id: string }).id;
}
