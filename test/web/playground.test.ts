/** The playground: editing, options, preview and errors. */
import { expect, test } from 'vitest';
import { PdfOptions } from '../../src/render/request/schemas/options-schema.ts';
import { DRAFT, fragmentOf, type PlaygroundPage } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { millimetresOf, readPdf } from '../support/read-pdf.ts';
import { eventually } from '../support/service.ts';
import { smallPdf } from '../support/small-pdf.ts';
import { SEES_BODIES, SEES_DOWNLOADS } from '../support/web-page.ts';

const playgrounds = await openPlaygrounds();
const { open } = playgrounds;

test.runIf(SEES_DOWNLOADS)('shows an example at once, and renders typed text soon after', async () => {
  const playground = await open();
  await playground.shows('Northlight Studio');
  await playground.write('HTML', '<h1>Typed by hand</h1>');
  await playground.shows('Typed by hand');
  await playground.page.getByText('no warnings', { exact: true }).waitFor();
  expect((await readPdf(await playground.download())).pages).toEqual(['Typed by hand']);
});

test('says what Platen is before any script has run, until a visitor closes it', async () => {
  const playground = await open();
  const { page } = playground;
  expect(await (await page.request.get(page.url())).text()).toContain('turns HTML into PDFs on your own server');
  const about = page.getByRole('complementary', { name: 'What Platen is' });
  await about.getByText('turns HTML into PDFs').waitFor();
  await about.getByRole('button', { name: 'Close' }).click();
  await about.waitFor({ state: 'detached' });
  await page.reload();
  await playground.shows('Northlight Studio');
  expect(await about.count()).toBe(0);
});

test('fills a template with data, and again when the data changes', async () => {
  const playground = await open();
  await playground.page.getByRole('button', { name: 'Template', exact: true }).click();
  await playground.write('Template', '<p>{% for name in names %}Dear {{ name }}. {% endfor %}</p>');
  await playground.write('Data', '{"names": ["Ada", "Grace"]}');
  await playground.shows('Dear Ada. Dear Grace.');
  await playground.page.getByRole('combobox', { name: 'Engine' }).selectOption('placeholders');
  await playground.write('Template', '<p>Sincerely, {{names.1}}</p>');
  await playground.shows('Sincerely, Grace');
});

test('waits for Ctrl+Enter when live rendering is off', async () => {
  const playground = await open();
  await playground.shows('Northlight Studio');
  await playground.page.getByRole('switch', { name: 'Live' }).uncheck();
  const sent: string[] = [];
  playground.page.on('request', (request) => sent.push(request.url()));
  await playground.write('HTML', '<p>First</p>');
  await playground.write('HTML', '<p>Second</p>');
  await playground.page.keyboard.press('Control+Enter');
  await playground.shows('Second');
  expect(sent.filter((url) => url.endsWith('/v1/playground/pdf'))).toHaveLength(1);
});

test('marks the PDF as outdated while the draft differs from it', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.shows('Northlight Studio');
  const mark = (text: string) => page.getByRole('region', { name: 'Result' }).getByText(text, { exact: true });
  await mark('Rendered').waitFor();
  await page.getByRole('switch', { name: 'Live' }).uncheck();
  await playground.write('HTML', '<p>Newer</p>');
  await mark('Outdated').waitFor();
  expect(await mark('Rendered').isVisible()).toBe(false);
  await page.keyboard.press('Control+Enter');
  await playground.shows('Newer');
  await mark('Rendered').waitFor();
});

test.runIf(SEES_DOWNLOADS)('aborts a running render for newer text, and shows the last one', async () => {
  const playground = await open();
  await playground.shows('Northlight Studio');
  const aborted = playground.page.waitForEvent('requestfailed');
  const firstRequest = playground.page.waitForRequest(/playground\/pdf/);
  await playground.write('HTML', '<p>Slow</p><script>for (const end = Date.now() + 4000; Date.now() < end; );</script>');
  await firstRequest;
  await playground.write('HTML', '<p>Quick</p>');
  expect((await aborted).failure()?.errorText).toContain('ERR_ABORTED');
  await playground.shows('Quick');
});

test.runIf(SEES_BODIES)('applies options to the PDF, and sends only changed ones', async () => {
  const playground = await open();
  await playground.write('HTML', '<h1>Sized</h1>');
  await playground.shows('Sized');
  const sent = playground.page.waitForRequest((request) => (request.postData() ?? '').includes('A5'));
  await (await playground.openOption('format')).getByRole('combobox').selectOption('A5');
  expect((await sent).postDataJSON()).toEqual({ html: '<h1>Sized</h1>', options: { format: 'A5' } });
  await eventually('the PDF is A5', async () => (await widthOf(playground)) === 148);

  await (await playground.openOption('landscape')).getByRole('switch').check();
  await eventually('the PDF lies on its side', async () => (await widthOf(playground)) === 210);

  const reset = playground.page.waitForRequest(/playground\/pdf/);
  await playground.page.getByRole('button', { name: 'Reset all' }).click();
  expect((await reset).postDataJSON()).toEqual({ html: '<h1>Sized</h1>' });
});

/** Returns the width in millimetres. */
async function widthOf(playground: PlaygroundPage): Promise<number | undefined> {
  return millimetresOf(await readPdf(await playground.download()))[0]?.[0];
}

test('finds an option by words of its description, in any order', async () => {
  const playground = await open();
  await playground.tab('Options');
  const find = playground.page.getByRole('searchbox', { name: 'Find an option' });
  await find.fill(' images  Background ');
  await playground.option('printBackground').first().waitFor();
  expect(await playground.option('format').count()).toBe(0);
  await find.fill('images nowhere');
  await playground.page.getByText('No option has these words').waitFor();
});

test.runIf(SEES_BODIES)('has fields for nested options', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.write('HTML', '<h1>Nested</h1>');
  await playground.openOption('margin');
  await page.getByRole('button', { name: 'Set top, right, bottom, left' }).click();
  await playground.option('margin.top').getByRole('textbox').fill('3cm');
  await playground.option('margin.left').getByRole('textbox').fill('36pt');
  await playground.openOption('watermark');
  await playground.option('watermark.text').getByRole('textbox').fill('DRAFT');
  await playground.openOption('addStyleTag');
  await page.getByRole('button', { name: 'Add to addStyleTag' }).click();
  await playground.option('addStyleTag[0].content').getByRole('textbox').fill('h1 { color: navy }');
  await (await playground.openOption('failOnWarning')).getByRole('checkbox', { name: 'resource_failed' }).check();
  await playground.openOption('attachments');
  await page.getByRole('button', { name: 'Add to attachments' }).click();
  await playground.option('attachments[0].name').getByRole('textbox').fill('a.txt');
  const sent = page.waitForRequest((request) => (request.postData() ?? '').includes('YQ=='));
  const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') };
  await playground.option('attachments[0].content').locator('input[type=file]').setInputFiles(file);
  const request = await sent;
  expect(request.postDataJSON().options).toEqual({
    margin: { top: '3cm', left: '36pt' },
    watermark: { text: 'DRAFT' },
    addStyleTag: [{ content: 'h1 { color: navy }' }],
    failOnWarning: ['resource_failed'],
    attachments: [{ name: 'a.txt', content: 'YQ==' }],
  });
  expect((await request.response())?.status()).toBe(200);
});

test.runIf(SEES_DOWNLOADS)('prints on a letterhead that is chosen in the form', async () => {
  const playground = await open();
  await playground.write('HTML', '<h1>Dear Ada</h1>');
  await playground.openOption('letterhead');
  expect(await playground.option('letterhead.document_id').count()).toBe(0);
  const buffer = smallPdf([{ content: 'BT /F 12 Tf 20 180 Td (ACME Ltd) Tj ET' }]);
  const file = { name: 'head.pdf', mimeType: 'application/pdf', buffer };
  await playground.option('letterhead.file').locator('input[type=file]').setInputFiles(file);
  await playground.shows('ACME Ltd');
  expect((await readPdf(await playground.download())).pages[0]).toContain('Dear Ada');
});

test('shows a PDF with a password that the visitor set', async () => {
  const secret = { ...DRAFT, html: '<p>Secret</p>', options: { password: 's3cret' } };
  const playground = await open({ path: `/${await fragmentOf(secret)}` });
  await playground.shows('Secret');
});

test('has every option of the form in a group', async () => {
  const playground = await open();
  await playground.tab('Options');
  for (const name of Object.keys(PdfOptions.properties)) expect(await playground.option(name).count(), name).toBeGreaterThan(0);
  expect(await playground.page.getByRole('heading', { name: 'More' }).count()).toBe(0);
});

test('shows errors of an option at its field', async () => {
  const playground = await open();
  const field = (await playground.openOption('margin')).getByRole('textbox');
  await field.fill('wide');
  await playground
    .option('margin')
    .getByText(/must be a length/)
    .waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await playground.tab('Edit');
  await playground.result.getByRole('button', { name: 'margin' }).click();
  await eventually('the field has the focus', () => field.evaluate((element) => element.matches(':focus')));
  await field.fill('2cm');
  await playground.page.getByText('no warnings', { exact: true }).waitFor();
  await eventually('the field is not marked any more', async () => (await field.getAttribute('aria-invalid')) === 'false');
});

test('shows errors of a template and of JSON at their line', async () => {
  const playground = await open();
  const { page } = playground;
  await page.getByRole('button', { name: 'Template', exact: true }).click();
  await playground.write('Template', '<p>one</p>\n<p>{{ price | monney }}</p>');
  await page.getByText(/^undefined filter: monney \(line 2, column \d+\)$/).waitFor();
  const template = page.locator('.document-editor');
  await eventually('the place is marked', async () =>
    (await template.locator('.cm-lintRange-error').allTextContents()).join('').includes('monney'),
  );
  await playground.write('Template', '<p>{{ price }}</p>');
  await playground.write('Data', '{\n  "price": 1,\n  "name" 2\n}');
  await page
    .getByText(/The data is not JSON/)
    .first()
    .waitFor();
  const data = page.locator('.data-editor');
  await data.locator('.cm-lint-marker-error').waitFor();
  const marked = await data.locator('.cm-lint-marker-error').boundingBox();
  const line = await data.locator('.cm-line').nth(2).boundingBox();
  expect(Math.abs((marked?.y ?? 0) - (line?.y ?? 99))).toBeLessThan(12);
});

test('explains missing resources', async () => {
  const playground = await open();
  await playground.write('HTML', '<p>Without</p><img src="http://127.0.0.1:9/a.png">');
  await playground.page.getByRole('button', { name: /^1 warning/ }).click();
  await playground.page
    .getByRole('list', { name: 'Warnings' })
    .getByText(/127\.0\.0\.1:9/)
    .waitFor();
});

test('lists conformance violations with their elements', async () => {
  const html = '<!doctype html><html lang="en"><title>T</title><h1>x</h1><input id="i"><h3 id="h">y</h3>';
  const options = { conformance: 'PDF/UA-1' };
  const playground = await open({ path: `/${await fragmentOf({ ...DRAFT, html, options })}` });
  const list = playground.errorNotice.getByRole('list', { name: 'Violations' });
  await list.getByText('#i').waitFor();
  expect(await list.getByRole('listitem').count()).toBe(2);
  expect(await list.textContent()).toContain('aria-label or title. (ISO 14289-1, 7.18.4)');
  await playground.write('HTML', html.replace('<input id="i">', '').replaceAll('h3', 'h2'));
  await playground.shows('y');
  expect(await list.count()).toBe(0);
});

test('reports the size of content that is too large', async () => {
  const large = { ...DRAFT, html: `<p>${'a'.repeat(600_000)}</p>` };
  const playground = await open({ path: `/${await fragmentOf(large)}` });
  await playground.errorNotice.getByText('At most 524 kB; there are 600 kB.').waitFor();
});

test('counts down and retries after too many requests', async () => {
  const playground = await open();
  await playground.shows('Northlight Studio');
  const slow = () => post({ html: '<p>slow</p>', options: { waitForTimeout: 5_000 } });
  const line = Array.from({ length: 6 }, slow); // three are accepted, the others are refused at once
  await Promise.any(line.map(async (reply) => (await reply).status === 429 || Promise.reject(new Error('accepted'))));
  await playground.write('HTML', '<p>Patient</p>');
  await playground.errorNotice.getByText(/Trying again in \d+ second/).waitFor();
  await playground.shows('Patient');
  await Promise.all(line);
});

function post(body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${playgrounds.service.url}/v1/playground/pdf`, { method: 'POST', headers, body: JSON.stringify(body) });
}

test('reports a lost connection, and continues when it is back', async () => {
  const playground = await open();
  await playground.shows('Northlight Studio');
  await playground.visitor.context.setOffline(true);
  await playground.write('HTML', '<p>Back again</p>');
  await playground.errorNotice.getByText('No connection.').waitFor();
  await playground.visitor.context.setOffline(false);
  await playground.page.getByRole('button', { name: 'Try now' }).click();
  await playground.shows('Back again');
});

test('keeps zoom and position between renders, and draws only a few of many pages', async () => {
  const pages = (word: string) =>
    Array.from({ length: 150 }, (_, index) => `<p style="break-after: page">${word} ${index + 1}</p>`).join('');
  const playground = await open({ path: `/${await fragmentOf({ ...DRAFT, html: pages('Before') })}` });
  const { page } = playground;
  await playground.shows('Before 1');
  await page.getByRole('combobox', { name: 'Zoom' }).selectOption('150');
  const number = page.getByRole('spinbutton', { name: /Page/ });
  await number.press('Control+a');
  await number.pressSequentially('77');
  await number.press('Enter');
  await playground.shows('Before 77', 77);
  const scroller = page.getByRole('region', { name: 'Pages of the PDF' });
  const position = () => scroller.evaluate((element) => element.scrollTop);
  const before = await position();
  await playground.write('HTML', pages('After'));
  await playground.shows('After 77', 77);
  expect(await position()).toBeCloseTo(before, 0);
  expect(await page.getByRole('combobox', { name: 'Zoom' }).inputValue()).toBe('150');
  expect(await page.locator('.pdf-page canvas').count()).toBeLessThan(30);
});

test('keeps live rendering, the pane and the zoom over a reload', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.pdfPage(1).waitFor();
  await page.getByRole('switch', { name: 'Live' }).uncheck();
  await playground.tab('Options');
  await page.getByLabel('Zoom', { exact: true }).selectOption('150');
  await page.reload();
  await playground.pdfPage(1).waitFor();
  expect(await page.getByRole('switch', { name: 'Live' }).isChecked()).toBe(false);
  expect(await page.getByRole('tab', { name: 'Options' }).getAttribute('aria-selected')).toBe('true');
  expect(await page.getByLabel('Zoom', { exact: true }).inputValue()).toBe('150');
});

test('draws as many pixels as the screen has', async () => {
  const playground = await open({ deviceScaleFactor: 2 });
  await playground.shows('Northlight Studio');
  const canvas = playground.page.locator('.pdf-page canvas').first();
  const pixels = Number(await canvas.getAttribute('width'));
  expect(Math.abs(pixels - 2 * ((await canvas.boundingBox())?.width ?? 0))).toBeLessThanOrEqual(2);
});
