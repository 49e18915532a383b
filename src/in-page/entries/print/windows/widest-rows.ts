/**
 * Finds the rows of a table that determine the widths of its columns: rows in, for each column the rows with the widest content and
 * with the widest content that cannot break out. If they are collapsed but not hidden, a part of the table has the columns of the whole.
 */

/** The attribute values with which a row is laid out to be measured. */
const MEASURES = ['max-content', 'min-content'] as const;
/** Cells that look alike and whose text is the widest are laid out: so many for each look. */
const CANDIDATES = 6;
/** Tables with more looks than this are only measured by these. */
const MAX_LOOKS = 300;

export const MEASURING_RULES = MEASURES.map(
  (width) =>
    `[data-platen-shown=${width}] { display: block !important } [data-platen-shown=${width}] > * { display: block !important; width: ${width} !important }`,
).join(' ');

/** The rows must be hidden, and are hidden again afterwards. */
export function findWidestRows(rows: readonly HTMLElement[]): HTMLElement[] {
  const candidates = findCandidates(rows);
  const widest = new Map<string, { width: number; row: HTMLElement }>();
  for (const measure of MEASURES) {
    for (const row of candidates) row.setAttribute('data-platen-shown', measure);
    for (const row of candidates) noteWidths(row, measure, widest);
  }
  for (const row of candidates) row.removeAttribute('data-platen-shown');
  return [...new Set([...rows.slice(0, 1), ...[...widest.values()].map(({ row }) => row)])];
}

function noteWidths(row: HTMLElement, measure: string, widest: Map<string, { width: number; row: HTMLElement }>): void {
  for (const { cell, column } of cellsOf(row)) {
    const { width } = cell.getBoundingClientRect();
    if (width > (widest.get(measure + column)?.width ?? 0)) widest.set(measure + column, { width, row });
  }
}

/** The cells of a row, each with what tells its column. */
function* cellsOf(row: HTMLElement): Generator<{ cell: Element; column: string }> {
  let index = 0;
  for (const cell of row.children) {
    const span = cell instanceof HTMLTableCellElement ? cell.colSpan : 1;
    yield { cell, column: `${index}+${span}` };
    index += span;
  }
}

/** A set of cells that look alike, with the widest of their texts and words. */
interface Look {
  font: string;
  texts: Ranking;
  words: Ranking;
}

type Ranking = Array<{ width: number; row: HTMLElement }>;

/** Laying out all rows would take ten times as long as measuring their texts. */
function findCandidates(rows: readonly HTMLElement[]): Set<HTMLElement> {
  const brush = document.createElement('canvas').getContext('2d');
  const looks = new Map<string, Look>();
  for (const row of brush ? rows : []) {
    for (const { cell, column } of cellsOf(row)) {
      const look = findLook(looks, row, cell, column);
      if (brush && look) rankCell(brush, look, cell, row);
    }
  }
  const ranked = [...looks.values()].flatMap(({ texts, words }) => [...texts, ...words]);
  return new Set(ranked.map(({ row }) => row));
}

function rankCell(brush: CanvasRenderingContext2D, { font, texts, words }: Look, cell: Element, row: HTMLElement): void {
  brush.font = font;
  const text = cell.textContent.trim();
  const word = longestWord(text);
  const { width } = brush.measureText(text);
  rank(texts, width, row);
  rank(words, word === text ? width : brush.measureText(word).width, row);
}

function findLook(looks: Map<string, Look>, row: HTMLElement, cell: Element, column: string): Look | undefined {
  const inner = cell.firstElementChild;
  const key = `${column} ${row.className} ${cell.className} ${inner?.localName} ${inner?.className}`;
  const known = looks.get(key);
  if (known || looks.size >= MAX_LOOKS) return known;
  const look: Look = { font: getComputedStyle(cell).font, texts: [], words: [] };
  looks.set(key, look);
  return look;
}

function longestWord(text: string): string {
  return text.split(/[\s-]+/).reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

function rank(ranking: Ranking, width: number, row: HTMLElement): void {
  if (ranking.length === CANDIDATES && width <= (ranking.at(-1)?.width ?? 0)) return;
  ranking.push({ width, row });
  ranking.sort((one, other) => other.width - one.width);
  ranking.length = Math.min(ranking.length, CANDIDATES);
}
