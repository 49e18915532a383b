/** What does conformance add to the time of a tagged PDF, by number of pages? */
import { median } from './measure.ts';
import type { Row } from './report.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const MOST = 1.5;
const OPTIONS = { conformance: ['PDF/A-3a', 'PDF/UA-1'] };
const CASES = [
  { pages: 1, sections: 1, rounds: 40 },
  { pages: 16, sections: 16, rounds: 10 },
  { pages: 185, sections: 185, rounds: 3 },
];

export async function conformance(): Promise<Row[]> {
  const service = await startService(1);
  try {
    const rows: Row[] = [];
    for (const each of CASES) rows.push(await added(service, each));
    return rows;
  } finally {
    await service.stop();
  }
}

/** Alternates tagged and conformant renders, so that other load on the machine affects both. */
async function added(service: ServiceUnderTest, { pages, sections, rounds }: (typeof CASES)[number]): Promise<Row> {
  const html = report(sections);
  const printed = await countPages(service, html);
  if (printed !== pages) throw new Error(`${printed} pages in place of ${pages}`);
  const [tagged, conformant]: [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round++) {
    const one = await timed(service, html, { tagged: true });
    const other = await timed(service, html, OPTIONS);
    if (round < 0) continue; // threads start, caches fill
    tagged.push(one);
    conformant.push(other);
  }
  const [without, withAll] = [median(tagged), median(conformant)];
  const ratio = withAll / without;
  return {
    measure: `conformance: p50 of PDF/A-3a with PDF/UA-1 against a tagged PDF, ${pages} ${pages === 1 ? 'page' : 'pages'}`,
    value: `${ratio.toFixed(2)} times (${withAll.toFixed(0)} ms against ${without.toFixed(0)} ms)`,
    target: `at most ${MOST} times`,
    met: ratio <= MOST,
    figures: { ratio, conformantMs: withAll, taggedMs: without },
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

async function timed(service: ServiceUnderTest, html: string, options: object): Promise<number> {
  const begun = performance.now();
  const { status } = await service.render(service.keys[0] ?? '', html, options);
  if (status !== 200) throw new Error(`status ${status}`);
  return performance.now() - begun;
}

async function countPages(service: ServiceUnderTest, html: string): Promise<number> {
  const body = { html, options: OPTIONS };
  const { status, bytes } = await service.request(service.keys[0] ?? '', 'POST', '/v1/pdf', body, { accept: 'application/json' });
  if (status !== 200) throw new Error(`status ${status}: ${bytes.toString().slice(0, 300)}`);
  return JSON.parse(bytes.toString()).pages;
}
