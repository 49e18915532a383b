/** What do improved tags and conformance add to the time of a PDF with Chromium's own tags, by number of pages? */
import { printAlone } from '../src/render/print-content.ts';
import { parseRenderRequest } from '../src/render/request/render-request.ts';
import { type Engine, startEngine } from './engine.ts';
import { median } from './measure.ts';
import type { Row } from './report.ts';

const MAX_RATIO = 1.5;
const TAGGED = { tagged: true };
const CONFORMANT = { conformance: ['PDF/A-3a', 'PDF/UA-1'] };
const CASES = [
  { pages: 1, rounds: 40 },
  { pages: 16, rounds: 15 },
  { pages: 185, rounds: 7 },
];
const OWNER = { boundary: 'bench', shareOf: 'bench' };
const LIMITS = { renderTimeoutMs: 60_000, maxRenderTimeoutMs: 60_000 };

export async function conformance(): Promise<Row[]> {
  const engine = await startEngine({ places: 1 });
  try {
    const rows: Row[] = [];
    for (const each of CASES) rows.push(...(await added(engine, each)));
    return rows;
  } finally {
    await engine.close();
  }
}

/** Alternates the kinds of renders, so that other load on the machine affects all of them. */
async function added(engine: Engine, { pages, rounds }: (typeof CASES)[number]): Promise<Row[]> {
  const html = report(pages);
  const raw: number[] = [];
  const tagged: number[] = [];
  const conformant: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const times = [
      await timed(engine, html, pages, TAGGED, { isRaw: true }),
      await timed(engine, html, pages, TAGGED),
      await timed(engine, html, pages, CONFORMANT),
    ] as const;
    if (round < 0) continue; // threads start, caches fill
    raw.push(times[0]);
    tagged.push(times[1]);
    conformant.push(times[2]);
  }
  const size = `${pages} ${pages === 1 ? 'page' : 'pages'}`;
  return [
    row(`tagged: p50 of a tagged PDF against one with the tags of Chromium, ${size}`, median(tagged), median(raw)),
    row(`conformance: p50 of PDF/A-3a with PDF/UA-1 against the same, ${size}`, median(conformant), median(raw)),
  ];
}

function row(measure: string, ms: number, rawMs: number): Row {
  const ratio = ms / rawMs;
  return {
    measure,
    value: `${ratio.toFixed(2)} times (${ms.toFixed(0)} ms against ${rawMs.toFixed(0)} ms)`,
    target: `at most ${MAX_RATIO} times`,
    met: ratio <= MAX_RATIO,
    figures: { ratio, ms, rawMs },
  };
}

/** Returns a document with one page per section: headings, text with links, a list, a table and a drawing. */
function report(sections: number): string {
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

/** Measures a render. With `isRaw`, the PDF keeps the tags of Chromium, but is compressed like the others. */
async function timed(engine: Engine, html: string, pages: number, options: object, { isRaw = false } = {}): Promise<number> {
  const request = parseRenderRequest({ html, options }, LIMITS);
  if (isRaw) request.finish.repairsTags = false;
  const startedAt = performance.now();
  const printed = await printAlone(engine, request, OWNER);
  const ms = performance.now() - startedAt;
  if (printed.pages !== pages) throw new Error(`${printed.pages} pages in place of ${pages}`);
  return ms;
}
