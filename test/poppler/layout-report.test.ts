/** Documents whose layout is reported look as they do without, as poppler draws them. */
import { expect, test } from 'vitest';
import { book, invoice, letter, statement } from '../../bench/documents.ts';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { outputOf, PrintedFiles, run } from '../support/printed-files.ts';
import { startService } from '../support/service.ts';

const service = await startService().then(closeAfterAll);
const client = new Client(service.url, (await service.createKey('growth')).key);
const files = await PrintedFiles.open().then(closeAfterAll);

async function print(html: string, options: object): Promise<{ pixels: Buffer; text: string }> {
  const file = await files.save(await client.rendered({ html, options }));
  const { stdout } = await run('pdftoppm', ['-r', '40', file], { encoding: 'buffer', maxBuffer: 1e9 });
  return { pixels: stdout, text: await outputOf('pdftotext', '-raw', file, '-') };
}

const BORDERS = '<style>table { border-collapse: collapse } td, th { border: 2px solid; background: #eee }</style>';

test.each([
  ['a letter', letter(), ['p', 'b']],
  ['an invoice', invoice(60), ['tr', 'table', 'h1']],
  ['a book', book(), ['h2', 'p:nth-child(7n)']],
  ['a statement', statement(), ['thead', 'th', 'tr:nth-child(10n)']],
  ['a table with common borders', statement().replace('</head>', `${BORDERS}</head>`), ['thead', 'td:first-child']],
])('%s', async (_, html, layout) => {
  const [located, plain] = [await print(html, { layout }), await print(html, {})];
  expect(located.text).toBe(plain.text);
  expect(located.pixels.equals(plain.pixels)).toBe(true);
});
