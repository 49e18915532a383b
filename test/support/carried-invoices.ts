/** Generates invoices whose pages carry sums forward, and computes what their pages must show. */

export interface CarriedInvoice {
  html: string;
  /** The amounts of each column, in cents, by the number of the row. */
  cents: bigint[][];
  /** The number of words in each row. */
  words: number[];
  language: string;
  /** Rows with which the total stays. */
  keep: number;
}

interface Wanted {
  language?: string;
  columns?: number;
  seed?: number;
  /** Lines before the table. */
  lines?: number;
  /** Rows with which the total stays. */
  keep?: number;
  style?: string;
}

/** Before a minus sign in Arabic. Text extraction may break the line there. */
const DIRECTION_MARKS = /[\u200E\u061C]\s*/g;

/** The same seed gives the same numbers, from 0 to 1. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function carriedInvoice(rows: number, wanted: Wanted = {}): CarriedInvoice {
  const { language = 'en', columns = 1, seed = 1, lines = 3, keep = 0, style = '' } = wanted;
  const random = seededRandom(seed);
  const numbers = Array.from({ length: columns }, (_, column) => column);
  const cents = Array.from({ length: rows }, () => numbers.map(() => BigInt(Math.floor(random() * 10_000_000)) - 2_000_000n));
  const words = cents.map(() => 1 + Math.floor(random() * 40));
  const body = cents.map((amounts, row) => {
    const cells = amounts.map((amount, column) => `<td data-sum${column}="${toDecimal(amount)}">${toDecimal(amount)}`);
    return `<tr><td>R${row}.<td>${'words '.repeat(words[row] ?? 0)}${cells.join('')}`;
  });
  const carried = (on: string, label: string, at: string, keeps = '') => {
    const cells = numbers.map((column) => `<td data-carry=sum${column} data-carry-at=${at}>`);
    return `<tr data-on=${on} ${keeps}><th colspan=2>${label}${cells.join('')}</tr>`;
  };
  const html = `<!doctype html><html lang=${language}><title>Invoice</title><style>
    body { font: 12px Arimo } table { width: 100%; border-collapse: collapse } td, th { padding: 2px; text-align: left }
    td:nth-child(n + 3), [data-carry] { text-align: right; white-space: nowrap } ${style}</style>
    ${'<p>Line</p>'.repeat(lines)}<table>
    <thead>${carried('not-first', 'BROUGHT', 'start')}<tr><th>No<th>Text${numbers.map((n) => `<th>Sum ${n}`).join('')}</tr></thead>
    <tbody>${body.join('\n')}</tbody>
    <tfoot>${carried('not-last', 'CARRIED', 'end')}${carried('last', 'TOTAL', 'end', keep ? `data-keep=${keep}` : '')}</tfoot>
    </table><p>AFTER`;
  return { html, cents, words, language, keep };
}

/** What the pages show that is wrong, given the text of each: sums, rows, and what stands only once. */
export function findMistakes(invoice: CarriedInvoice, pages: string[]): string[] {
  const { cents, language } = invoice;
  const mistakes: string[] = [];
  let before = 0;
  for (const [index, shown] of pages.entries()) {
    const text = shown.replace(DIRECTION_MARKS, '');
    const rows = [...text.matchAll(/R(\d+)\./g)].map(([, row]) => Number(row)).sort((a, b) => a - b);
    const page = { text, rows, before };
    mistakes.push(...[...sumMistakes(invoice, page), ...rowMistakes(invoice, page)].map((each) => `page ${index + 1} ${each}`));
    before += rows.length;
  }
  if (before !== cents.length) mistakes.push(`${before} of ${cents.length} rows`);
  const total = line('TOTAL', cents, language);
  const totals = pages.filter((text) => text.replace(DIRECTION_MARKS, '').includes(total));
  if (totals.length !== 1) mistakes.push(`${totals.length} pages have the total`);
  return mistakes;
}

interface TextOfPage {
  text: string;
  rows: number[];
  /** The number of rows on the pages before. */
  before: number;
}

function sumMistakes({ cents, language }: CarriedInvoice, { text, rows, before }: TextOfPage): string[] {
  const isLast = text.includes('TOTAL'); // which may be alone on its page
  const isTable = rows.length > 0 || isLast;
  const brought = line('BROUGHT', cents.slice(0, before), language);
  const carried = line('CARRIED', cents.slice(0, before + rows.length), language);
  const expected: Array<[text: string, isThere: boolean]> = [
    [brought, isTable && before > 0],
    ['BROUGHT', isTable && before > 0],
    [carried, isTable && !isLast],
    ['CARRIED', isTable && !isLast],
  ];
  return expected
    .filter(([each, isThere]) => text.includes(each) !== isThere)
    .map(([each, isThere]) => `${isThere ? 'lacks' : 'has'} ${each}`);
}

function rowMistakes({ cents, words, keep }: CarriedInvoice, { text, rows, before }: TextOfPage): string[] {
  const count = text.match(/words/g)?.length ?? 0;
  const expected = words.slice(before, before + rows.length).reduce((sum, each) => sum + each, 0);
  const isTorn = text.includes('TOTAL') && rows.length < Math.min(keep, cents.length);
  return [
    ...(rows.some((row, index) => row !== before + index) ? [`has the rows ${rows.join()}`] : []),
    ...(count === expected ? [] : ['cuts a row']),
    ...(isTorn ? [`has ${rows.length} rows with the total`] : []),
  ];
}

function line(label: string, cents: bigint[][], language: string): string {
  const [first = []] = cents;
  const sums = first.map((_, column) => cents.reduce((sum, amounts) => sum + (amounts[column] ?? 0n), 0n));
  const format = new Intl.NumberFormat(language, { minimumFractionDigits: 2 });
  const texts = sums.map((sum) => format.format(toDecimal(sum)));
  return [label, ...texts].join(' ').replace(DIRECTION_MARKS, '').replace(/\s/g, ' ');
}

function toDecimal(cents: bigint): Intl.StringNumericLiteral {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}` as Intl.StringNumericLiteral;
}
