/**
 * Items of a batch that are printed together, compared with their own renders as poppler shows them: pixels, text and links. Their bytes
 * must not depend on the other items. The documents are random, of everything that a combined document may consist of.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { batchDocuments, isCombined } from '../support/batch-documents.ts';
import { Client } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { outputOf, run } from '../support/printed-files.ts';
import { startService } from '../support/service.ts';

const service = await startService().then(closeAfterAll);
const folder = await makeFolder('combined');
const client = new Client(service.url, (await service.createKey()).key);

const ITEMS = 6;
const TEMPLATES = 16;
const WORDS = 'office ffi flow AVATAR To Tj Quixotic żółw Жук Ωμέγα naïve résumé 12,345.67 € § Straße wide thin'.split(' ');
const SELECTORS = [
  ...['body', 'p', 'h1', 'h2', 'li', 'ul', 'ol', 'table', 'td', 'th', 'tr:nth-child(odd)', 'p + p', 'h1 ~ p', '#one', '.a', '.b'],
  ...['blockquote', 'section', 'section:first-child', 'p:last-of-type', 'div', 'div > p', 'a', 'q', 'p::first-line', 'pre'],
  ...['p::first-letter', 'li::marker', '.a::before', 'body > *', '*', 'html', 'thead', 'small'],
];
const DECLARATIONS = [
  ...['margin: 7.3px', 'margin: 1.3rem 2.5mm', 'margin-top: 11pt', 'margin-bottom: 1em', 'padding: 3px', 'padding-top: 2.5mm'],
  ...['border: 1px solid red', 'border: 0.7px solid #333', 'border: 3pt double blue', 'border-radius: 1em', 'background: #eee'],
  ...['background: rgb(1 2 3 / 20%)', 'color: rgba(0, 0, 0, .5)', 'font-size: 11.3px', 'font-size: .9rem', 'font-size: 120%'],
  ...['line-height: 1.57', 'line-height: 0.9', 'font-family: serif', 'font-family: monospace', 'font: italic 12px serif'],
  ...['font: bold 10.5pt/1.4 Arial', 'text-align: right', 'text-align: justify', 'text-decoration: underline', 'float: left'],
  ...[
    'text-decoration: line-through',
    'letter-spacing: -0.02em',
    'width: 50%',
    'width: 80mm',
    'max-width: 300px',
    'display: flex',
  ],
  ...['display: inline-block', 'display: grid', 'display: table', 'display: none', 'float: right', 'clear: both', 'gap: 5px'],
  ...['break-before: page', 'break-after: avoid', 'break-inside: avoid', 'text-indent: 1em', 'list-style: lower-roman inside'],
  ...[
    'content: "x-"',
    'vertical-align: super',
    'border-collapse: collapse',
    'grid-template-columns: 1fr 2fr',
    'white-space: nowrap',
  ],
  ...[
    'text-transform: uppercase',
    'font-variant: small-caps',
    'table-layout: fixed',
    'box-sizing: border-box',
    'min-height: 30px',
  ],
];
const PAGES = [
  ...['size: A4', 'size: A5', 'size: 100mm 70mm', 'size: A4; margin: 20mm', 'margin: 13.7mm 9mm'],
  'size: A5; margin: 2cm; @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 8pt Arial; color: red }',
  'size: A4; @top-left { content: "Head"; border-bottom: 1px solid; padding: 3px; background: #eef }',
];
const OPTIONS = [{}, {}, { scale: 0.8 }, { landscape: true, margin: '1cm' }, { printBackground: false, format: 'A5' }];

/** A generator of documents. The same seed gives the same ones. */
class Documents {
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Items that have the same styles and options. */
  items(): object[] {
    const rules = this.#times(
      12,
      () => `${this.#pick(SELECTORS)} { ${this.#times(4, () => this.#pick(DECLARATIONS)).join('; ')} }`,
    );
    const head = `<style>@page { ${this.#pick(PAGES)} } svg { height: 40px } ${rules.join('\n')}</style></head><body class="${this.#pick(['a', 'b'])}">`;
    const options = this.#pick(OPTIONS);
    return Array.from({ length: ITEMS }, (_, n) => {
      const title = this.#pick([`Item ${n}`, `Größe ${n}`, '']);
      return { html: `<!doctype html><html lang="de"><head><title>${title}</title>${head}${this.#blocks(5)}`, options };
    });
  }

  #random(): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return this.#seed / 2_147_483_648;
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)] as T;
  }

  #times<T>(most: number, make: () => T): T[] {
    return Array.from({ length: 1 + Math.floor(this.#random() * most) }, make);
  }

  #text(most: number): string {
    return this.#times(most, () => this.#pick(WORDS) + Math.floor(1_000 * this.#random())).join(' ');
  }

  #inline(): string {
    const [short, long] = [this.#text(4), this.#text(40)];
    const links = `<a href="https://example.com/${short.length}">${short}</a> <b>${short}</b>`;
    const quotes = `<q>${short} <q>${short}</q></q> <i>${short}</i>`;
    return this.#pick([long, links, quotes, `<small>${long}</small><sup>2</sup>`, `<code>${short}</code><br><u>${short}</u>`]);
  }

  #blocks(most: number, depth = 0): string {
    return this.#times(most, () => this.#block(depth)).join('\n');
  }

  #block(depth: number): string {
    const items = () => this.#times(5, () => `<li class="b">${this.#inline()}</li>`).join('');
    const row = () => `<tr><td>${this.#text(4)}</td><td>${this.#text(3)}</td></tr>`;
    const makers = [
      () => `<p>${this.#inline()} ${this.#inline()}`,
      () => `<p class="a">${this.#inline()}</p>`,
      () => `<h1>${this.#text(5)}</h1><h2 id="one">${this.#text(5)}</h2><hr>`,
      () => `<ul>${items()}</ul><ol>${items()}</ol>`,
      () => `<table><thead><tr><th>${this.#text(2)}</th></tr></thead>${this.#times(8, row).join('')}</table>`,
      () => `<blockquote>${this.#inline()}</blockquote><pre>${this.#text(4)}\n${this.#text(3)}</pre>`,
      () =>
        `<svg width="90" height="50" viewBox="0 0 50 33"><rect width="50" height="20" rx="3.3" fill="teal" /><text y="15">A</text></svg>`,
      () =>
        depth < 3 ? `<section>${this.#blocks(3, depth + 1)}</section><div class="b">${this.#blocks(3, depth + 1)}</div>` : '<p>x',
    ];
    return this.#pick(makers)();
  }
}

/** What poppler shows of a PDF. Its version depends on whether it is large enough to be compressed. */
async function look(pdf: Buffer, name: string) {
  const file = join(folder, `${name}.pdf`);
  await writeFile(file, pdf);
  await run('qpdf', ['--check', file]);
  const [text, links, info] = await Promise.all([
    outputOf('pdftotext', '-layout', file, '-'),
    outputOf('pdfinfo', '-url', file),
    outputOf('pdfinfo', file),
  ]);
  const { stdout: pixels } = await run('pdftoppm', ['-r', '100', file], { encoding: 'buffer', maxBuffer: 1e9 });
  return { text, links, pixels, info: info.replace(/^(?:File size|PDF version).*$/gm, '') };
}

test('each looks like its own render, and its bytes do not depend on the others', async () => {
  const documents = new Documents(7);
  let combined = 0;
  for (let template = 0; template < TEMPLATES; template++) {
    const items = documents.items();
    const together = await batchDocuments(client, items);
    const reversed = (await batchDocuments(client, items.toReversed())).toReversed();
    for (const [number, item] of items.entries()) {
      const pdf = together[number] as Buffer;
      const [alone] = await batchDocuments(client, [item]);
      expect(pdf.equals(alone as Buffer) && pdf.equals(reversed[number] as Buffer), JSON.stringify(item)).toBe(true);
      if (!isCombined(pdf)) continue;
      combined++;
      const [shown, expected] = [await look(pdf, 'combined'), await look(await client.rendered(item), 'own')];
      expect({ ...shown, pixels: 0 }, JSON.stringify(item)).toEqual({ ...expected, pixels: 0 });
      expect(shown.pixels.equals(expected.pixels), JSON.stringify(item)).toBe(true);
    }
  }
  expect(combined).toBeGreaterThan((TEMPLATES * ITEMS) / 4);
});
