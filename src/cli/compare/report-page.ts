/** Writes the report of a comparison: a folder with a page that needs no script, and the pictures of the pages that differ. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeHtml } from '../../render/request/values/escape-html.ts';
import type { PageDifference } from '../../uploads/compare/compare-worker.ts';
import type { DocumentDifference } from './document-pairs.ts';

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; --line: light-dark(#ccc, #444) }
body { max-width: 1400px; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { padding: .3rem .8rem; border-bottom: 1px solid var(--line); text-align: left }
td.number { text-align: right; font-variant-numeric: tabular-nums }
section { margin-top: 3rem }
.pages { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; align-items: start }
figure { margin: 0 }
.page { position: relative; border: 1px solid var(--line); background: #fff }
.page img { display: block; width: 100% }
.page i { position: absolute; outline: 2px solid #c2185b; outline-offset: 2px }
.none { display: grid; place-content: center; min-height: 8rem; border: 1px dashed var(--line) }
.pages + del, .pages + ins { margin-top: .5rem }
del, ins { display: block; text-decoration: none; overflow-wrap: anywhere }
del::before { content: '\\2212  ' } ins::before { content: '+  ' }
`;

export class ReportPage {
  readonly #folder: string;
  readonly #rows: string[] = [];
  readonly #sections: string[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(folder: string): Promise<ReportPage> {
    await mkdir(folder, { recursive: true });
    return new ReportPage(folder);
  }

  /** Writes the pictures of a document. */
  async add({ document, status, pages, differences, error }: DocumentDifference): Promise<void> {
    const number = this.#rows.length + 1;
    const name = differences.length ? `<a href="#d${number}">${escapeHtml(document)}</a>` : escapeHtml(document);
    const counts = Object.values(pages).map((count) => `<td class="number">${count}</td>`);
    this.#rows.push(`<tr><td>${name}</td><td>${status}${error ? `: ${escapeHtml(error)}` : ''}</td>${counts.join('')}</tr>`);
    if (!differences.length) return;
    const parts = [];
    for (const page of differences) parts.push(await this.#pagePart(`${number}`, page));
    this.#sections.push(`<section id="d${number}"><h2>${escapeHtml(document)}</h2>${parts.join('')}</section>`);
  }

  async finish(): Promise<void> {
    const head = ['Document', 'Result', 'Same', 'Changed', 'Added', 'Removed'].map((title) => `<th scope="col">${title}</th>`);
    const table = `<table><thead><tr>${head.join('')}</tr></thead><tbody>${this.#rows.join('')}</tbody></table>`;
    const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Platen comparison</title><style>${STYLE}</style><h1>Comparison</h1>${table}${this.#sections.join('')}`;
    await writeFile(join(this.#folder, 'index.html'), page);
  }

  async #pagePart(document: string, page: PageDifference): Promise<string> {
    const figures = [];
    for (const side of ['before', 'after'] as const) figures.push(await this.#figure(document, page, side));
    const lines = [
      ...page.text.removed.map((line) => `<del>${escapeHtml(line)}</del>`),
      ...page.text.added.map((line) => `<ins>${escapeHtml(line)}</ins>`),
    ];
    const { areas, pixels, status } = page;
    const counts = status === 'changed' ? `: ${pixels} pixels in ${areas.length} ${areas.length === 1 ? 'area' : 'areas'}` : '';
    return `<h3>Page ${page.before ?? page.after}, ${status}${counts}</h3><div class="pages">${figures.join('')}</div>${lines.join('')}`;
  }

  async #figure(document: string, page: PageDifference, side: 'before' | 'after'): Promise<string> {
    const { pictures, areas, width, height } = page;
    const [picture, number] = [pictures?.[side], page[side]];
    const caption = side === 'before' ? 'Before' : 'After';
    if (!picture) return `<figure><figcaption>${caption}</figcaption><div class="none">No such page</div></figure>`;
    const file = `${document}-${side}-${number}.png`;
    await writeFile(join(this.#folder, file), picture);
    const share = (length: number, whole: number) => `${((100 * length) / whole).toFixed(3)}%`;
    const boxes = areas.map(
      (area) =>
        `<i style="left:${share(area.x, width)};top:${share(area.y, height)};width:${share(area.width, width)};height:${share(area.height, height)}"></i>`,
    );
    return `<figure><figcaption>${caption}, page ${number}</figcaption><div class="page"><img loading="lazy" src="${file}" alt="${caption}, page ${number}">${boxes.join('')}</div></figure>`;
  }
}
