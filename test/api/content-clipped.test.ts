/** What is too wide for the paper, as the report of a render tells it, beside what the paper shows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = new Client(service.url, (await service.createKey('growth')).key);
});
afterAll(() => service[Symbol.asyncDispose]());

/** A bar so many pixels wide, with a word at its right end. */
const bar = (px: number) => `<div style="width: ${px}px; text-align: right; background: #eee">END</div>`;
const html = (px: number) => `<!doctype html><style>body { margin: 0 }</style>${bar(px)}`;
const SCRIPT = '<script>document.title = "x"</script>';

const TABLE: Array<[name: string, html: string, options: object, clipped: boolean]> = [
  ['what fits', html(700), {}, false],
  ['what is made smaller to fit', html(1_000), {}, false],
  ['what does not fit', html(1_400), {}, true],
  ['the same, drawn by a script', html(1_400) + SCRIPT, {}, true],
  ['the same with a window wide enough', html(1_400), { viewport: { width: 1_920, height: 1_080 } }, true],
  ['a page that only fills a wide window', html(700) + SCRIPT, { viewport: { width: 1_920, height: 1_080 } }, false],
  ['on wider paper', html(1_400), { format: 'A3', landscape: true }, false],
  ['in landscape', html(1_400), { landscape: true }, false],
  ['at a smaller scale', html(1_400), { scale: 0.6 }, false],
  ['at a larger scale', html(700), { scale: 2 }, true],
  ['on a label', html(500), { width: '60mm', height: '40mm', margin: 0 }, true],
  ['that fits a label', html(300), { width: '60mm', height: '40mm', margin: 0 }, false],
  ['on a label of its own', `<style>@page { size: 60mm 40mm; margin: 0 } body { margin: 0 }</style>${bar(500)}`, {}, true],
  [
    'that fits a sheet of its own',
    `<style>@page { size: 420mm 594mm; margin: 0 } body { margin: 0 }</style>${bar(1_700)}`,
    {},
    false,
  ],
  ['on one page', html(1_400), { singlePage: true }, true],
  ['a wide table', `<table><tr>${'<td>unbreakable_cell'.repeat(20)}END</table>`, {}, true],
];

describe('content_clipped', () => {
  test.each(TABLE)('%s', async (_name, document, options, clipped) => {
    const { warnings, warning_count: count } = await client.report({ html: document, options });
    const found = warnings.filter(({ kind }) => kind === 'content_clipped');
    expect(found).toHaveLength(clipped ? 1 : 0);
    expect(count).toBe(found.length);
    if (clipped) expect(found[0]).toMatchObject({ pixels: expect.any(Number), message: expect.stringContaining('cut off') });
    const pdf = await readPdfReply(await client.pdf({ html: document, options }));
    expect(pdf.pages.join(' ').includes('END')).toBe(!clipped);
  });

  test('tells how much', async () => {
    const { warnings } = await client.report({ html: html(1_400), options: { width: 800, height: 800, margin: 0 } });
    expect(warnings).toMatchObject([{ kind: 'content_clipped', pixels: 200 }]);
  });

  test('the next document of the key is laid out as ever', async () => {
    const read = async () => (await readPdfReply(await client.pdf({ html: '<p style="text-align: right">x' }))).firstText;
    const before = await read();
    await client.report({ html: html(1_400) });
    expect(await read()).toEqual(before);
  });

  test('failOnWarning', async () => {
    const options = { failOnWarning: ['content_clipped'] };
    const refused = await problem(await client.pdf({ html: html(1_400), options }), 422, 'render_gate_failed');
    expect(refused).toMatchObject({ gate: 'failOnWarning', warnings: [{ kind: 'content_clipped' }] });
    expect((await client.pdf({ html: html(700), options })).status).toBe(200);
  });
});
