/** What does content that depends on pages add to the processor time of the plain print of the same document? */
import { printAlone } from '../src/render/pdf.ts';
import { parseRenderRequest } from '../src/render/request/render-request.ts';
import { type Engine, startEngine } from './engine.ts';
import { alternate, mean, type Row, rowWithLimit } from './measure.ts';
import { processorMs } from './processes.ts';

const OWNER = { boundary: 'bench', shareOf: 'bench' };
const LIMITS = { renderTimeoutMs: 600_000, maxRenderTimeoutMs: 600_000 };

/** A capability, and the limit of its ratio to the plain print. */
interface Way {
  name: string;
  document: Document;
  plain?: Document;
  options?: object;
  most: number;
}

/** Makes a document with this many chapters, or hundreds of rows. */
type Document = (size: number) => string;

const CONTENTS = 'nav a::after { content: leader(".") target-counter(attr(href), page) }';
const STRINGS = 'h2 { string-set: title content() } @page { @top-left { content: string(title) } }';
const NUMBERS = 'main { counter-reset: page 1 } @page { @bottom-left { content: counter(page) " of " counter(section-pages) } }';
const HEADER = '<p>Book, page <span class="pageNumber"></span> of <span class="totalPages"></span>';
const plainBook = writeBook('');
const plainTable = writeTable('<td><td>', '<td><td>');

const BOOKS: Way[] = [
  { name: 'layout report of headings', document: plainBook, options: { layout: ['h2'] }, most: 1.15 },
  { name: 'HTML headers', document: plainBook, options: { header: HEADER }, most: 1.8 },
  { name: 'contents', document: writeBook(CONTENTS), most: 2.2 },
  { name: 'strings in margin boxes', document: writeBook(STRINGS), most: 2.2 },
  {
    name: 'everything',
    document: writeBook(CONTENTS + STRINGS + NUMBERS),
    options: { header: HEADER, layout: ['h2'] },
    most: 2.8,
  },
];
const TABLES: Way[] = [
  { name: 'layout report of 240 rows', document: plainTable, options: { layout: ['tr:nth-child(10n)'] }, most: 1.15 },
  { name: 'layout report of all rows', document: plainTable, options: { layout: ['tr'] }, most: 1.15 },
  {
    name: 'sums carried forward',
    document: writeTable(
      '<td data-carry="sum" data-carry-at="start"><td>',
      '<td data-carry="sum"><td>',
      'data-on="not-first"',
      'data-on="not-last"',
    ),
    most: 1.6,
  },
].map((way) => ({ ...way, plain: plainTable }));
/** A thousand pages are printed once. Their limit is that of everything. */
const CASES = [
  { ways: BOOKS, size: 27, rounds: 9 },
  { ways: TABLES, size: 24, rounds: 9 },
  { ways: BOOKS.filter(({ name }) => name === 'everything').map((way) => ({ ...way, most: 3 })), size: 500, rounds: 1 },
];

export async function* measurePaged(): AsyncGenerator<Row> {
  await using engine = await startEngine({ places: 1 });
  for (const { ways, size, rounds } of CASES) {
    let pages = 0;
    const print = ({ document, options = {} }: Pick<Way, 'document' | 'options'>) => {
      const html = document(size);
      return async () => {
        const before = processorMs(process.pid);
        pages = await countPages(engine, html, options);
        return processorMs(process.pid) - before;
      };
    };
    const plain = print({ document: ways[0]?.plain ?? plainBook });
    const named = Object.fromEntries(ways.map((way) => [way.name, print(way)]));
    const times: Record<string, number[]> = await alternate(rounds, { plain, ...named }, { warmUp: rounds > 1 ? 1 : 0 });
    const plainMs = mean(times.plain ?? []);
    for (const { name, most } of ways) {
      const ms = mean(times[name] ?? []);
      const value = `${(ms / plainMs).toFixed(2)} times the processor time (${ms.toFixed(0)} ms against ${plainMs.toFixed(0)} ms)`;
      yield rowWithLimit(
        `${name}, pages: ${pages}`,
        value,
        { pages, ms, plainMs },
        { limited: ms / plainMs, most, unit: ' times' },
      );
    }
  }
}

async function countPages(engine: Engine, html: string, options: object): Promise<number> {
  const request = parseRenderRequest({ html, options: { timeout: LIMITS.renderTimeoutMs, ...options } }, LIMITS);
  return (await printAlone(engine, request, OWNER)).pages;
}

/** Two pages a chapter, and contents. */
function writeBook(style: string): Document {
  const paragraph = `<p>${'The quick brown fox jumps over the lazy dog, and nobody knows why it keeps on doing so. '.repeat(5)}</p>`;
  return (chapters) => {
    const all = Array.from({ length: chapters }, (_, n) => n);
    const entries = all.map((n) => `<p><a href="#c${n}">Chapter ${n}</a>`);
    const texts = all.map((n) => `<h2 id="c${n}">Chapter ${n}</h2>${paragraph.repeat(13)}`);
    return `<!doctype html><html lang="en"><title>Book</title><style>@page { margin: 20mm } h2 { break-before: page } ${style}</style>
<nav>${entries.join('')}</nav><main>${texts.join('')}</main></html>`;
  };
}

/** A table with a row in its head and one in its foot, both of which pages repeat. */
function writeTable(head: string, foot: string, onHead = '', onFoot = ''): Document {
  return (hundreds) => {
    const rows = Array.from(
      { length: hundreds * 100 },
      (_, n) => `<tr data-sum="${n % 97}.25"><td>${n}<td>Widget no. ${n}<td>${n % 97}.25<td>EUR`,
    );
    return `<!doctype html><html lang="en"><title>Statement</title><style>body { font: 12px Arimo } table { width: 100%; border-collapse: collapse } td { border-bottom: 1px solid #ccc; padding: 3px }</style>
<table><thead><tr ${onHead}><td colspan="2">Brought forward${head}<tr><th>No<th>Text<th>Amount<th>Currency</thead>
<tbody>${rows.join('')}</tbody><tfoot><tr ${onFoot}><td colspan="2">Carried forward${foot}</tfoot></table></html>`;
  };
}
