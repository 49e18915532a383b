/** What do improved tags and conformance add to the time of a PDF with Chromium's own tags, by number of pages? */
import { printAlone } from '../src/render/pdf.ts';
import { parseRenderRequest } from '../src/render/request/render-request.ts';
import { type Engine, startEngine } from './engine.ts';
import { alternate, type Comparison, median, type Row, rowWithLimit, time } from './measure.ts';

const MAX_RATIO = 1.5;
export const TAGGED = { tagged: true };
export const CONFORMANT = { conformance: ['PDF/A-3a', 'PDF/UA-1'] };
const CASES = [
  { pages: 1, rounds: 40 },
  { pages: 16, rounds: 15 },
  { pages: 185, rounds: 7 },
];
const OWNER = { boundary: 'bench', shareOf: 'bench' };
const LIMITS = { renderTimeoutMs: 60_000, maxRenderTimeoutMs: 60_000 };

export const CONFORMANT_REPORTS: Comparison[] = CASES.flatMap(({ pages, rounds: pairs }) =>
  [TAGGED, CONFORMANT].map((kind) => ({
    name: `${Object.keys(kind)}, pages: ${pages}`,
    body: { html: report(pages), options: { ...kind, timeout: LIMITS.renderTimeoutMs } },
    pairs,
  })),
);

export async function* measureConformance(): AsyncGenerator<Row> {
  await using engine = await startEngine({ places: 1 });
  for (const { pages, rounds } of CASES) {
    const html = report(pages);
    const print =
      (options: object, hasRawTags = false) =>
      () =>
        time(() => printReport(engine, pages, html, options, hasRawTags));
    const ways = { raw: print(TAGGED, true), tagged: print(TAGGED), conformant: print(CONFORMANT) };
    const times = await alternate(rounds, ways, { warmUp: 1 });
    const describe = (measure: string, ms: number, rawMs: number) => {
      const ratio = ms / rawMs;
      const value = `${ratio.toFixed(2)} times (${ms.toFixed(0)} ms against ${rawMs.toFixed(0)} ms)`;
      return rowWithLimit(
        `${measure}, pages: ${pages}`,
        value,
        { ratio, ms, rawMs },
        { limited: ratio, most: MAX_RATIO, unit: ' times' },
      );
    };
    const rawMs = median(times.raw);
    yield describe('tagged: p50 of a tagged PDF against one with the tags of Chromium', median(times.tagged), rawMs);
    yield describe('conformance: p50 of PDF/A-3a with PDF/UA-1 against the same', median(times.conformant), rawMs);
  }
}

/** With raw tags, the PDF keeps the tags of Chromium, but is compressed like the others. */
async function printReport(engine: Engine, pages: number, html: string, options: object, hasRawTags: boolean): Promise<void> {
  const request = parseRenderRequest({ html, options }, LIMITS);
  if (hasRawTags) request.finish.repairsTags = false;
  const printed = await printAlone(engine, request, OWNER);
  if (printed.pages !== pages) throw new Error(`${printed.pages} pages in place of ${pages}`);
}

/** Returns a document with one page per section: headings, text with links, a list, a table and a drawing. */
export function report(sections: number): string {
  const paragraph = 'The quick brown fox jumps over the lazy dog, and nobody knows why it keeps on doing so. '.repeat(4);
  const parts = Array.from({ length: sections }, (_, at) => {
    const rows = Array.from({ length: 12 }, (_, row) => `<tr><td>Item ${at}.${row}<td>${row * 3}<td>${row * 7}.50`);
    return `<h2>Section ${at + 1}</h2><p>${paragraph}<a href="https://example.com/${at}">More of section ${at + 1}</a></p>
<p>${paragraph}</p><ul><li>One thing<li>Another <b>thing</b><li>A last one</ul>
<table><thead><tr><th scope="col">Item<th scope="col">Number<th scope="col">Price<tbody>${rows.join('')}</table>
<svg role="img" aria-label="Chart ${at + 1}" width="200" height="60"><rect width="${20 + (at % 150)}" height="40" fill="teal"/></svg>`;
  });
  const style = '<style>h2:not(:first-of-type){break-before:page} td,th{border:1px solid;padding:2px 8px}</style>';
  return `<!doctype html><html lang="en"><head><title>Report</title>${style}</head><body><h1>Report</h1>${parts.join('')}</body></html>`;
}
