// biome-ignore-all lint/a11y/noRedundantRoles: phones lay the cells out as blocks, which takes the roles of a table away
import type { ReactNode } from 'react';

type Cell<Row> = (row: Row) => ReactNode;

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  caption: string;
  rows: readonly Row[];
  /** By what their headers say. The first is what the row is called: bold, and the heading of its card on a phone. */
  columns: Readonly<Record<string, Cell<Row>>>;
  /** Headers of columns that stand at the end, as numbers do. */
  numbers?: readonly string[];
  /** Buttons: the last column, without a visible header. Undefined for people who may only look. */
  actions?: Cell<Row> | undefined;
  actionsLabel?: string;
  /** What tells rows apart; their ids unless told. */
  rowKey?: (row: Row) => string;
}

/** Rows and columns; on a phone each row is a card whose lines carry the column's name. */
export function Table<Row>({
  caption,
  rows,
  columns,
  numbers = [],
  actions,
  actionsLabel = 'What can be done',
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
