/** Writes a table as Markdown: its element in, lines out. A cell that spans others is followed by empty ones. */
import { isElement, type Tag, type TagElement } from './tags.ts';

const MAX_COLUMNS = 200;
const GROUPS = new Set(['THead', 'TBody', 'TFoot', 'NonStruct', 'Sect', 'Div', 'Part']);

interface Row {
  cells: TagElement[];
  isHead: boolean;
}

/** Empty if the table has no text. `write` returns a line. The first row is its head if it has only header cells. */
export function toTable(table: TagElement, write: (cell: TagElement) => string): string {
  const rows = findRows(table.kids, false);
  const texts = spread(rows, write);
  if (!texts.some((row) => row.some(Boolean))) return '';
  const [first] = rows as [Row];
  const hasHead = first.isHead || first.cells.every(({ type }) => type === 'TH');
  const width = texts.reduce((most, { length }) => Math.max(most, length), 0);
  const head = Array.from({ length: width }, (_, column) => (hasHead ? (texts[0]?.[column] ?? '') : ''));
  const lines = [head, head.map(() => '---'), ...(hasHead ? texts.slice(1) : texts)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function findRows(tags: readonly Tag[], isHead: boolean): Row[] {
  return tags.filter(isElement).flatMap((element) => {
    if (element.type === 'TR') return { cells: element.kids.filter(isElement).filter(isCell), isHead };
    return GROUPS.has(element.type) ? findRows(element.kids, isHead || element.type === 'THead') : [];
  });
}

function isCell({ type }: TagElement): boolean {
  return type === 'TH' || type === 'TD';
}

function spread(rows: readonly Row[], write: (cell: TagElement) => string): string[][] {
  /** For each column, how many rows a cell from above still takes. */
  const taken: number[] = [];
  return rows.map(({ cells }) => {
    const texts: string[] = [];
    const skip = () => {
      while ((taken[texts.length] ?? 0) > 0 && texts.length < MAX_COLUMNS) {
        taken[texts.length] = (taken[texts.length] as number) - 1;
        texts.push('');
      }
    };
    for (const cell of cells) {
      skip();
      const text = write(cell);
      for (let column = 0; column < cell.columns && texts.length < MAX_COLUMNS; column++) {
        taken[texts.length] = cell.rows - 1;
        texts.push(column ? '' : text);
      }
    }
    skip();
    return texts;
  });
}
