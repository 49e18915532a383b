/** A table of records: the columns and the rows in, a table with a caption for screen readers out. */
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  title: ComponentChildren;
  /** Classes of the cells, such as `number`, and `wide` for a column that narrow screens do not show. */
  look?: string;
  cell(row: Row): ComponentChildren;
}

/** The title of a column with buttons, for screen readers. */
export const ACTIONS = <span class="visually-hidden">Actions</span>;

interface TableProps<Row> {
  caption: string;
  look?: string;
  columns: Array<Column<Row>>;
  rows: Row[];
  keyOf(row: Row): string | number;
}

export function Table<Row>({ caption, look = '', columns, rows, keyOf }: TableProps<Row>) {
  return (
    <table class={`list ${look}`}>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, look }, index) => (
            <th key={index} scope="col" class={look}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ look, cell }, index) => (
              <td key={index} class={look}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
