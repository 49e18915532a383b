/** Long documents, and how they are printed in windows and at once by the same browser. */

import { loadConfig } from '../../src/config.ts';
import { Deadline } from '../../src/deadline.ts';
import { parseRenderRequest } from '../../src/render/request/render-request.ts';
import { printPages } from '../../src/render/steps/page-ranges.ts';
import { printInWindows } from '../../src/render/windows.ts';
import type { BareBrowser } from './bare-browser.ts';
import { startBareBrowser } from './bare-browser.ts';

const { limits } = loadConfig({});
const WORDS = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen'.split(' ');
const TIMEOUT_MS = 100_000;

export class LongPrinter {
  readonly #bare: BareBrowser;

  static async start(): Promise<LongPrinter> {
    return new LongPrinter(await startBareBrowser());
  }

  private constructor(bare: BareBrowser) {
    this.#bare = bare;
  }

  /** Returns undefined if the document is not printed in windows. */
  inWindows(html: string, options: object = {}): Promise<Buffer | undefined> {
    return this.#print(html, options, true);
  }

  async atOnce(html: string, options: object = {}): Promise<Buffer> {
    const pdf = await this.#print(html, options, false);
    if (!pdf) throw new Error('no PDF');
    return pdf;
  }

  async #print(html: string, options: object, mayDivide: boolean): Promise<Buffer | undefined> {
    using deadline = new Deadline(TIMEOUT_MS);
    const { load, print } = parseRenderRequest({ html, options }, limits);
    const page = await this.#bare.browser.openPage();
    try {
      const job = { content: { kind: 'html', html, baseUrl: undefined }, load, print, mayDivide } as const;
      await using document = await page.load(job, deadline);
      const settings = document.settings ?? print;
      const printed = mayDivide ? await printInWindows(document, settings) : await printPages(document, settings);
      return printed && Buffer.concat(printed.chunks);
    } finally {
      await page.close();
    }
  }

  async close(): Promise<void> {
    await this.#bare.close();
  }
}

/** A text of some words that depend on the number. */
export function words(number: number, count: number): string {
  return Array.from({ length: count }, (_, n) => WORDS[(number * 7 + n * 3) % WORDS.length]).join(' ');
}

/** Small pages, so that a few thousand rows are long. */
export const SMALL_PAGES = '@page { size: 180mm 130mm; margin: 12mm; @bottom-center { content: counter(page) } }';

/** A table of about 200 pages, whose columns depend on single rows, with a head on every page and a link to its end. */
export function longTable(css = '', rows = 4_600): string {
  const row = (n: number) =>
    `<tr><td>${n}<td>${n % 97 === 5 ? words(n, 30) : words(n, 3)}<td>${n === rows - 3 ? 'the widest of the words: incomprehensibilities' : words(n, 1)}<td>${n * 3}.50`;
  const style = `${SMALL_PAGES} table { border-collapse: collapse; width: 100% } td { border: 1px solid #999; padding: 1px 6px } ${css}`;
  return `<!doctype html><html lang="en"><title>Table</title><style>${style}</style><h1 id="top">Table</h1><p><a href="#end">The end</a>
<table><thead><tr><th>Number<th>Text<th>Word<th>Sum</thead><tbody>${Array.from({ length: rows }, (_, n) => row(n)).join('\n')}</tbody></table>
<p id="end">The end. <a href="#top">The top</a>`;
}

/** Chapters of paragraphs and lists in a frame, on about 200 pages. */
export function longText(css = ''): string {
  const block = (n: number) => {
    if (n % 15 === 0) return `<h2 id="chapter-${n}">Chapter ${n / 15}</h2>`;
    if (n % 15 === 9) return `<ul>${Array.from({ length: 4 }, (_, item) => `<li>${words(n + item, 12)}`).join('')}</ul>`;
    return `<p>${words(n, 40 + ((n * 37) % 90))}.</p>`;
  };
  const style = `${SMALL_PAGES} h2 { margin-top: 30px; border-bottom: 1px solid } main { border: 2px solid; padding: 10px } p { orphans: 3 } ${css}`;
  return `<!doctype html><html lang="en"><title>Text</title><style>${style}</style><header>Head</header><main>${Array.from({ length: 1_500 }, (_, n) => block(n)).join('\n')}</main>`;
}

/** A book of about 200 pages, whose chapters begin pages and have `paragraphs`. */
export function longBook(css: string, paragraphs = 4, inSections = false): string {
  const chapters = Array.from({ length: Math.ceil(1_000 / paragraphs) }, (_, n) => {
    const text = Array.from({ length: paragraphs }, (_, m) => `<p>${words(n + m, 90 + ((n * 37 + m * 11) % 60))}.</p>`).join('');
    const chapter = `<h1 id="chapter-${n}">Chapter ${n}</h1>${text}`;
    return inSections ? `<section>${chapter}</section>` : chapter;
  });
  const entries = chapters.map((_, n) => `<p><a href="#chapter-${n}">Chapter ${n}</a>`).join('');
  const style = `${SMALL_PAGES} p { margin: 0; padding: 4px 0 } ${css}`;
  return `<!doctype html><html lang="en"><title>Book</title><style>${style}</style><nav>${entries}</nav><main>${chapters.join('')}</main>`;
}
