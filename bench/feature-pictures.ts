/** Shows what tools print of the same documents side by side, as a web page with pictures: their PDFs in, a folder out. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../src/errors.ts';
import { escapeHtml } from '../src/render/request/values/escape-html.ts';
import { PageDrawing } from '../src/uploads/draw-pages.ts';

/** Pixels. */
const WIDTH = 150;
const MAX_PAGES = 6;
const STYLE = `body { font: 14px sans-serif } table { border-collapse: collapse } th, td { border: 1px solid #ccc; padding: 6px; vertical-align: top; text-align: left }
th:first-child { max-width: 220px } img { border: 1px solid #999; margin: 2px; background: white } .wrong { background: #fde8e6 }`;

export class FeaturePictures {
  readonly #folder: string;
  readonly #drawing = new PageDrawing();
  readonly #rows = new Map<string, string[]>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(feature: string, tool: string, isRight: boolean, pdf: Uint8Array | undefined): Promise<void> {
    const cells = this.#rows.get(feature) ?? [];
    this.#rows.set(feature, cells);
    const pages = pdf ? await this.#draw(pdf) : [];
    const images = pages.map((png, index) => {
      const alt = escapeHtml(`${feature}, ${tool}, page ${index + 1}`);
      return `<img alt="${alt}" src="data:image/png;base64,${Buffer.from(png).toString('base64')}">`;
    });
    cells.push(`<td${isRight ? '' : ' class="wrong"'}>${images.join('') || 'no PDF'}</td>`);
  }

  /** Writes the page. `tools` are in the order in which their prints were added. */
  async write(tools: readonly string[]): Promise<void> {
    this.#drawing.close();
    const head = ['feature', ...tools].map((each) => `<th>${escapeHtml(each)}</th>`).join('');
    const body = [...this.#rows].map(([feature, cells]) => `<tr><th>${escapeHtml(feature)}</th>${cells.join('')}</tr>`);
    const table = `<table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
    const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>CSS for print, side by side</title><style>${STYLE}</style>
<h1>CSS for print, side by side</h1><p>The first ${MAX_PAGES} pages of each document. What is wrong has a red background.</p>${table}</html>`;
    await mkdir(this.#folder, { recursive: true });
    await writeFile(join(this.#folder, 'index.html'), html);
  }

  async #draw(pdf: Uint8Array): Promise<Uint8Array[]> {
    const pages: Uint8Array[] = [];
    for (let page = 1; page <= MAX_PAGES; page++) {
      const order = { page, width: WIDTH, content: async () => pdf };
      const drawn = await this.#drawing.draw('bench', order).catch((error: unknown) => {
        if (hasCode(error, 'not_found')) return undefined;
        throw error;
      });
      if (!drawn) return pages;
      pages.push(drawn);
    }
    return pages;
  }
}
