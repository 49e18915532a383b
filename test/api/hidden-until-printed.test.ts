/** Documents that are hidden until they are printed come out as if they had been shown. */
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const LINE =
  '<p>A paragraph of a long document, with enough text in it to fill the line to its end, and half of the next one.</p>';

async function textOf(html: string, options: object = {}): Promise<string> {
  const { pages } = await readPdfReply(await client.pdf({ html, options }));
  return pages.join('');
}

test('a document that shows all its elements does not show the style that hides it', async () => {
  const style = '* { display: block !important; counter-increment: all } p::after { content: counter(all) }';
  expect(await textOf(`<style>${style}</style><p>n = </p>`)).toBe(`${style}n = 5`); // html, head, style, body, p
});

test('rules by the size of the page are those of the paper', async () => {
  const rules = ['(max-height: 1px) { p::after { content: "low" } }', '(height > 500px) { p::after { content: "high" } }'];
  const wide = '(width > 1000px) { p::before { content: "wide " } }';
  const html = `<style>${[...rules, wide].map((rule) => `@media ${rule}`).join(' ')}</style><p>page </p>`;
  expect(await textOf(html)).toBe('page high');
  expect(await textOf(html, { format: 'A3', landscape: true })).toBe('wide page high');
});

test('the paper may be lower than a line', async () => {
  const html = '<style>@page { size: 100mm 1mm; margin: 0 } body { margin: 0; font-size: 2px }</style>x';
  expect(await textOf(html)).toBe('x');
});

test('characters without a glyph are found in short and long documents, and not in hidden text', async () => {
  const unseen = '<p style="display: none">\u{12000}</p><details><summary>closed</summary><p>\u{12000}</p></details>';
  for (const lines of [1, 5_000]) {
    const { warnings } = await client.report({ html: `${LINE.repeat(lines)}<div><p>\u{10380}</p></div>${unseen}` });
    const found = warnings.filter(({ kind }) => kind === 'missing_glyphs');
    expect(found, `${lines} lines`).toMatchObject([{ script: 'Ugaritic', characters: '\u{10380}', count: 1 }]);
  }
});

test.each([
  ['clipped', '<style>html, body { height: 100%; overflow: hidden } div { height: 100vh; overflow: auto }</style>', 'div'],
  ['too wide', '<style>div { width: 1500px; background: silver }</style>', 'div'],
  ['ignored', '<style>p > b { break-before: page } b::before { content: "b" }</style><p><b></b></p>', 'div'],
])('what is %s is found as in a document that is shown', async (_, style, name) => {
  const html = `<!doctype html>${style}<${name}>${'<p>A line of text</p>'.repeat(60)}</${name}><p>Another</p>`;
  const [hidden, shown] = [await client.report({ html }), await client.report({ html: `${html}<script></script>` })];
  expect(hidden.warnings).not.toEqual([]);
  expect(hidden.warnings).toEqual(shown.warnings);
});

test.each([
  ['of its own', 'height: 400px', ''],
  ['of words in a narrow column', 'width: 1px', 'Many words one below the other '.repeat(6)],
  ['that may break', 'break-inside: auto', 'Name'],
])('a head that is not repeated because of a height %s is found as in a document that is shown', async (_, style, text) => {
  const table = `<table><thead style="${style}"><tr><th style="${style}">${text}</thead>${'<tr><td>A row'.repeat(90)}</table>`;
  for (const html of [table, `<table><tr><td>${table}</table>`]) {
    const [hidden, shown] = [await client.report({ html }), await client.report({ html: `${html}<script></script>` })];
    expect(hidden.warnings).toContainEqual(expect.objectContaining({ value: 'table-header-group' }));
    expect(hidden.warnings).toEqual(shown.warnings);
  }
});

test('a document with a script is not told that the window of the one before was another', async () => {
  const script = `addEventListener('resize', () => document.body.append(' resized')); setTimeout(() => document.body.append(innerHeight), 50)`;
  for (let n = 0; n < 5; n++) {
    expect(await textOf('<p>static</p>')).toBe('static');
    expect(await textOf(`<body><script>${script}</script></body>`)).toBe('600');
  }
});
