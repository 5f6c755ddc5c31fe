// biome-ignore-all lint/a11y/noRedundantRoles: phones lay the cells out as blocks, which takes the roles of a table away
import type { ReactNode } from 'react';

export interface Column<Row> {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** What the row is called: bold, and the heading of its card on a phone. */
  primary?: boolean;
  /** Buttons: the last column, without a visible header. */
  actions?: boolean;
  align?: 'start' | 'end';
}

/** Rows and columns; on a phone each row is a card whose lines carry the column's name. */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
}: {
  /** What the table lists, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
}) {
  return (
    <table className="table" role="table">
      <caption className="unseen">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column.key} scope="col" role="columnheader" data-align={alignOf(column)}>
              {column.actions ? <span className="unseen">{column.header}</span> : column.header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={rowKey(row)} role="row">
            {columns.map((column) => (
              <td
                key={column.key}
                role="cell"
                data-label={column.header}
                data-align={alignOf(column)}
                className={column.primary ? 'primary' : column.actions ? 'actions' : undefined}
              >
                {column.actions ? <div className="button-row">{column.cell(row)}</div> : column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function alignOf<Row>({ align, actions }: Column<Row>): string | undefined {
  return align === 'end' || actions ? 'end' : undefined;
}
