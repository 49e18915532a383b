/** The options as paper, and as JSON. */
import { expect, test } from 'vitest';
import { accessibilityViolations } from '../support/page-checks.ts';
import { DRAFT, fragmentOf, type PlaygroundPage } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { millimetresOf, readPdf } from '../support/read-pdf.ts';
import { SEES_DOWNLOADS } from '../support/web-page.ts';

const { open } = await openPlaygrounds();

const HTML = '<title>On paper</title><body style="margin:0"><p style="margin:0">First';

async function openOptions(options = {}, document: object = { html: HTML }): Promise<PlaygroundPage> {
  const playground = await open({ path: `/${await fragmentOf({ ...DRAFT, ...document, options })}` });
  await playground.tab('Options');
  return playground;
}

/** The options as the form shows them in JSON. */
async function shownJson({ page }: PlaygroundPage): Promise<unknown> {
  const button = page.getByRole('button', { name: 'Options as JSON' });
  await button.click();
  await page.locator('.options-json .cm-line').filter({ hasText: '{' }).first().waitFor();
  const lines = await page.locator('.options-json .cm-line').allTextContents();
  await button.click();
  return JSON.parse(lines.join('\n'));
}

async function setMargin({ page }: PlaygroundPage, side: string, length: string): Promise<void> {
  await page.getByRole('textbox', { name: `Margin: ${side}` }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(length); // in Firefox, leaving a field after fill() is no change
  await page.keyboard.press('Tab');
}

test.runIf(SEES_DOWNLOADS)('sets what is set most often on a sheet', async () => {
  const playground = await openOptions();
  const { page } = playground;
  await page.getByRole('textbox', { name: 'Margin: left' }).fill('3cm');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Landscape' }).click();
  await page.getByRole('combobox', { name: 'Size', exact: true }).selectOption('A5');
  await page.getByRole('combobox', { name: 'Footer', exact: true }).selectOption('Page and pages');
  await page.getByRole('combobox', { name: 'Header', exact: true }).selectOption('Title');
  await page.getByRole('button', { name: 'Add page to the header' }).click();
  await page.getByRole('textbox', { name: 'Watermark' }).fill('DRAFT');
  await page.getByRole('switch', { name: 'Archive (PDF/A)' }).click();
  expect(await shownJson(playground)).toMatchObject({
    margin: { top: '0.4in', right: '0.4in', bottom: '0.4in', left: '3cm' },
    landscape: true,
    format: 'A5',
    watermark: { text: 'DRAFT' },
    conformance: 'PDF/A-3b',
  });
  await playground.shows('1 of 1');
  await playground.shows('DRAFT');
  const pdf = await readPdf(await playground.download());
  expect(millimetresOf(pdf)).toEqual([[210, 148]]);
  expect(pdf.pages[0]).toContain('On paper 1');
  expect(await accessibilityViolations(page)).toEqual([]);
});

test('makes one length of equal margins, and none of empty ones', async () => {
  const playground = await openOptions({ margin: '1cm 2cm' });
  const { page } = playground;
  const field = (side: string) => page.getByRole('textbox', { name: `Margin: ${side}` });
  expect(await Promise.all(['top', 'right', 'bottom', 'left'].map((side) => field(side).inputValue()))).toEqual([
    '1cm',
    '2cm',
    '1cm',
    '2cm',
  ]);
  await setMargin(playground, 'right', '1cm');
  await setMargin(playground, 'left', '1cm');
  expect(await shownJson(playground)).toEqual({ margin: '1cm' });
  await page.getByRole('button', { name: 'Reset all' }).click();
  await setMargin(playground, 'top', '5mm');
  expect(await shownJson(playground)).toEqual({ margin: { top: '5mm', right: '0.4in', bottom: '0.4in', left: '0.4in' } });
});

test.each([
  [
    'its own',
    {
      html: `<style>@page { margin: 25mm 20mm } @page :first { margin: 1cm } @media print { @page { margin-left: 3cm } }</style>${HTML}`,
    },
    { right: '20mm', bottom: '25mm', left: '3cm' },
  ],
  ['those of Markdown', { mode: 'markdown', markdown: '# Text' }, { right: '20mm', bottom: '24mm', left: '20mm' }],
])('changes one margin, and leaves the others as the document has them: %s', async (_, document, others) => {
  const playground = await openOptions({}, document);
  const { page } = playground;
  expect(await page.getByRole('textbox', { name: 'Margin: left' }).getAttribute('placeholder')).toBe(others.left);
  await setMargin(playground, 'top', '1in');
  expect(await shownJson(playground)).toEqual({ margin: { top: '1in', ...others } });
});

test('takes changes back, and brings back what a choice has replaced', async () => {
  const options = {
    header: '<b>Own</b>',
    watermark: { text: 'DRAFT', opacity: 0.5, color: '#c00000' },
    conformance: ['PDF/A-2u', 'PDF/UA-1'],
  };
  const playground = await openOptions(options);
  const { page } = playground;
  const header = page.getByRole('combobox', { name: 'Header', exact: true });
  const undo = page.getByRole('button', { name: 'Undo the last change of an option' });
  expect(await undo.isDisabled()).toBe(true);
  await header.selectOption('Date');
  await undo.click();
  expect(await shownJson(playground)).toEqual(options);
  await header.selectOption('Date');
  await header.selectOption('Own HTML');
  for (let press = 0; press < 2; press++) await page.getByRole('switch', { name: 'Archive (PDF/A)' }).click();
  await page.getByRole('textbox', { name: 'Watermark' }).fill('');
  await page.getByRole('textbox', { name: 'Watermark' }).fill('PAID');
  expect(await shownJson(playground)).toEqual({ ...options, watermark: { ...options.watermark, text: 'PAID' } });
  await page.getByRole('button', { name: 'Reset all' }).click();
  expect(await header.inputValue()).toBe('None');
  await undo.click();
  await undo.click();
  expect(await shownJson(playground)).toEqual(options);
});

test('takes options that are typed as JSON, and says what is wrong with others', async () => {
  const playground = await openOptions({ landscape: true });
  const { page } = playground;
  await page.getByRole('button', { name: 'Options as JSON' }).click();
  await playground.write('Options in JSON', '{ "format": "A6", "lanscape": true }');
  await page.getByText('There is no option “lanscape”.').waitFor();
  await playground.write('Options in JSON', '{ "format": "A6" }');
  await expect.poll(() => page.getByText('There is no option').count()).toBe(0);
  await page.getByRole('button', { name: 'Options as JSON' }).click();
  expect(await page.getByRole('combobox', { name: 'Size', exact: true }).inputValue()).toBe('A6');
  expect(await page.getByRole('button', { name: 'Portrait' }).getAttribute('aria-pressed')).toBe('true');
});

test('finds options by other words, and leaves a group open when its last option is removed', async () => {
  const playground = await openOptions({ scale: 1.5 });
  const { page } = playground;
  const scale = playground.option('scale').getByRole('spinbutton');
  await scale.fill('');
  await expect.poll(() => page.getByText('1 set').count()).toBe(0);
  await scale.fill('1.2');
  expect(await scale.isVisible()).toBe(true);
  await page.getByRole('searchbox', { name: 'Find an option' }).fill('orientation');
  await expect.poll(() => page.locator('.option code').first().textContent()).toBe('landscape');
});
