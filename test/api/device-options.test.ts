/** Options that emulate a device or add content, and their reset for the next document of the key. */
import { describe, expect, test } from 'vitest';
import { type ReadPdf, readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();

async function render(html: string, options?: object): Promise<ReadPdf> {
  return readPdfReply(await service.pdf(options ? { html, options } : { html }));
}

/** Returns a document that prints the value of an expression. */
const show = (expression: string) => `<p id="p"></p><script>p.textContent = ${expression}</script>`;
const MEDIA =
  '<style>@media screen { p::after { content: "SCREEN" } } @media print { p::after { content: "PRINT" } } @media (prefers-color-scheme: dark) { p::before { content: "DARK" } }</style><p>';

const TABLE: Array<[name: string, options: object, html: string, withIt: string, without: string]> = [
  ['mediaType screen', { mediaType: 'screen' }, MEDIA, 'SCREEN', 'PRINT'],
  ['mediaType print', { mediaType: 'print' }, MEDIA, 'PRINT', 'PRINT'],
  ['colorScheme dark', { colorScheme: 'dark' }, MEDIA, 'DARKPRINT', 'PRINT'],
  ['colorScheme light', { colorScheme: 'light' }, MEDIA, 'PRINT', 'PRINT'],
  ['viewport', { viewport: { width: 1280, height: 700 } }, show('innerWidth + "x" + innerHeight'), '1280x700', '717x600'],
  ['viewport factor', { viewport: { width: 640, height: 480, deviceScaleFactor: 3 } }, show('devicePixelRatio'), '3', '2'],
  ['locale', { locale: 'de-AT' }, show('navigator.language'), 'de-AT', 'en-US'],
  ['locale of numbers', { locale: 'de-DE' }, show('(1234.5).toLocaleString()'), '1.234,5', '1,234.5'],
  ['locale in any case', { locale: 'DE-at' }, show('navigator.language'), 'de-AT', 'en-US'],
  ['timezone', { timezone: 'America/New_York' }, show('new Date(0).getHours()'), '19', String(new Date(0).getHours())],
  ['javascript', { javascript: false }, '<p>x<script>document.write("RAN")</script>', 'x', 'xRAN'],
  ['addStyleTag', { addStyleTag: { content: 'p::after { content: "ADDED" }' } }, '<p>x', 'xADDED', 'x'],
  [
    'two styles',
    { addStyleTag: [{ content: 'p::after { content: "1" }' }, { content: 'p::before { content: "2" }' }] },
    '<p>x',
    '2x1',
    'x',
  ],
  [
    'addStyleTag without script',
    { javascript: false, addStyleTag: { content: 'p::after { content: "ADDED" }' } },
    '<p>x',
    'xADDED',
    'x',
  ],
  ['addScriptTag', { addScriptTag: { content: 'document.querySelector("p").append("ADDED")' } }, '<p>x', 'xADDED', 'x'],
  [
    'a module',
    { addScriptTag: { content: 'await 0; document.querySelector("p").append("ADDED")', type: 'module' } },
    '<p>x',
    'xADDED',
    'x',
  ],
  [
    'scripts in order',
    { addScriptTag: [{ content: 'window.n = 1' }, { content: 'document.querySelector("p").append(++window.n)' }] },
    '<p>x',
    'x2',
    'x',
  ],
];

describe('applies an option, and resets it for the next document', () => {
  test.each(TABLE)('%s', async (_name, options, html, withIt, without) => {
    expect((await render(html, options)).pages).toEqual([withIt]);
    expect((await render(html)).pages).toEqual([without]);
  });
});

test('leaves the page background transparent with omitBackground, but keeps what the document paints', async () => {
  const pdf = await render('<div style="background: #00ff00; height: 50px">x</div>', { omitBackground: true });
  expect(pdf.pages).toEqual(['x']);
  expect(pdf.fills).toContain('#00ff00');
  expect(pdf.fills).not.toContain('#ffffff');
});

test('returns 422 naming the option if an added style sheet does not load', async () => {
  const response = await service.pdf({ html: 'x', options: { addStyleTag: { url: 'http://127.0.0.1:9/x.css' } } });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ code: 'navigation_failed', detail: expect.stringContaining('addStyleTag') });
});

const WRONG: Array<[name: string, options: object, path: string, message: string]> = [
  ['mediaType', { mediaType: 'tv' }, 'options.mediaType', 'must be one of print, screen'],
  ['colorScheme', { colorScheme: 'blue' }, 'options.colorScheme', 'must be one of light, dark'],
  ['viewport', { viewport: { width: 0, height: 5 } }, 'options.viewport.width', 'from 1 to 16384'],
  ['viewport without height', { viewport: { width: 5 } }, 'options.viewport.height', 'is required'],
  ['locale', { locale: 'no language' }, 'options.locale', 'such as de-AT'],
  ['timezone', { timezone: 'Mars/Olympus' }, 'options.timezone', 'such as Europe/Vienna'],
  ['addStyleTag', { addStyleTag: 'p {}' }, 'options.addStyleTag', '{content} or {url}'],
  ['addScriptTag address', { addScriptTag: { url: 'file:///x' } }, 'options.addScriptTag[0].url', 'https:// or http://'],
  ['script without script', { javascript: false, addScriptTag: { content: '1' } }, 'options.addScriptTag', 'options.javascript'],
  ['singlePage and pageRanges', { singlePage: true, pageRanges: '1' }, 'options.pageRanges', 'options.singlePage'],
  ['singlePage and height', { singlePage: true, height: '5in' }, 'options.height', 'options.singlePage'],
  ['headerTemplate', { headerTemplate: 5 }, 'options.headerTemplate', 'a string of HTML'],
  ['outline', { outline: 'yes' }, 'options.outline', 'true or false'],
  ['omitBackground', { omitBackground: 1 }, 'options.omitBackground', 'true or false'],
  ['failOnWarning', { failOnWarning: ['everything'] }, 'options.failOnWarning[0]', 'one of resource_failed'],
];

describe('returns 400 with path and valid values for wrong values', () => {
  test.each(WRONG)('%s', async (_name, options, path, message) => {
    const response = await service.pdf({ html: 'x', options });
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as { errors: Array<{ path: string; message: string }> };
    expect(
      errors.some((error) => error.path.startsWith(path) && error.message.includes(message)),
      JSON.stringify(errors),
    ).toBe(true);
  });
});
