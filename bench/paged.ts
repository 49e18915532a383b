/** What does content that depends on pages add to the time of the plain print of the same document? */
import { printAlone } from '../src/render/pdf.ts';
import { parseRenderRequest } from '../src/render/request/render-request.ts';
import { type Engine, startEngine } from './engine.ts';
import { alternate, median, type Row, rowWithLimit, time } from './measure.ts';

const CASES = [
  { chapters: 27, rounds: 9 },
  { chapters: 500, rounds: 1 },
];
const OWNER = { boundary: 'bench', shareOf: 'bench' };
const LIMITS = { renderTimeoutMs: 600_000, maxRenderTimeoutMs: 600_000 };

/** The style sheet of each capability, and the limit of its ratio. */
const CONTENTS = 'nav a::after { content: leader(".") target-counter(attr(href), page) }';
const STRINGS = 'h2 { string-set: title content() } @page { @top-left { content: string(title) } }';
const NUMBERS = 'main { counter-reset: page 1 } @page { @bottom-left { content: counter(page) " of " counter(section-pages) } }';
const WAYS = [
  { name: 'contents', style: CONTENTS, most: 2.2 },
  { name: 'strings in margin boxes', style: STRINGS, most: 2.2 },
  { name: 'everything', style: CONTENTS + STRINGS + NUMBERS, most: 2.8 },
];
const MOST_OF_MANY_PAGES = 3;

export async function* measurePaged(): AsyncGenerator<Row> {
  await using engine = await startEngine({ places: 1 });
  for (const { chapters, rounds } of CASES) {
    let pages = 0;
    const print = (style: string) => () =>
      time(async () => {
        pages = await printBook(engine, book(chapters, style));
      });
    const ways = Object.fromEntries(WAYS.map(({ name, style }) => [name, print(style)]));
    const times: Record<string, number[]> = await alternate(rounds, { plain: print(''), ...ways }, { warmUp: 1 });
    const plainMs = median(times.plain ?? []);
    for (const { name, most } of WAYS) {
      const ms = median(times[name] ?? []);
      const value = `${(ms / plainMs).toFixed(2)} times (${ms.toFixed(0)} ms against ${plainMs.toFixed(0)} ms)`;
      const limit = { limited: ms / plainMs, most: rounds > 1 ? most : MOST_OF_MANY_PAGES, unit: ' times' };
      yield rowWithLimit(`${name}, pages: ${pages}`, value, { pages, ms, plainMs }, limit);
    }
  }
}

async function printBook(engine: Engine, html: string): Promise<number> {
  const request = parseRenderRequest({ html, options: { timeout: LIMITS.renderTimeoutMs } }, LIMITS);
  return (await printAlone(engine, request, OWNER)).pages;
}

/** Returns a document of two pages a chapter, and contents. */
function book(chapters: number, style: string): string {
  const paragraph = `<p>${'The quick brown fox jumps over the lazy dog, and nobody knows why it keeps on doing so. '.repeat(5)}</p>`;
  const all = Array.from({ length: chapters }, (_, n) => n);
  const entries = all.map((n) => `<p><a href="#c${n}">Chapter ${n}</a>`);
  const texts = all.map((n) => `<h2 id="c${n}">Chapter ${n}</h2>${paragraph.repeat(13)}`);
  return `<!doctype html><html lang="en"><title>Book</title><style>@page { margin: 20mm } h2 { break-before: page } ${style}</style>
<nav>${entries.join('')}</nav><main>${texts.join('')}</main></html>`;
}
