/** A click on a word of the PDF leads to its place in the source, and a key leads back. */
import { expect, test } from 'vitest';
import { DRAFT, fragmentOf, type PlaygroundPage } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { NARROW } from '../support/web-page.ts';

const { open } = await openPlaygrounds();

const ROWS = Array.from({ length: 120 }, (_, n) => `<tr><td>Item ${n + 1}</td><td>each</td><td>${n * 7}.00</td></tr>`);
const HTML = `<!doctype html>
<title>Places</title>
<style>h1 { text-transform: uppercase } h1::after { content: " made" } each { color: red } tr { height: 10mm }</style>
<!-- each comment -->
<h1 class="each">Caf&eacute; &amp; places</h1>
<table>
<thead><tr><th>What<th>Unit<th>Price</thead>
${ROWS.join('\n')}
</table>
<p>The last words: places again.
`;

/** Finds an occurrence of a text in a page, scrolls to it, and returns the middle of it in the window. */
const FIND = `(layer, [wanted, nth]) => {
  const spans = [...layer.querySelectorAll('span')].filter(({ firstChild }) => firstChild?.data?.includes(wanted));
  const text = spans[nth].firstChild;
  const range = document.createRange();
  range.setStart(text, text.data.indexOf(wanted));
  range.setEnd(text, text.data.indexOf(wanted) + wanted.length);
  text.parentElement.scrollIntoView({ block: 'center' });
  const { left, top, width, height } = range.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}`;

/** Clicks in the middle of a text in a page. `index` counts its occurrences from 0. */
async function click(playground: PlaygroundPage, text: string, { page = 1, index = 0 } = {}): Promise<void> {
  const layer = playground.pdfPage(page).locator('.textLayer');
  await layer.getByText(text).nth(index).waitFor({ state: 'attached' });
  const place = `(${FIND})(document.querySelector('.pdf-pages:not(.coming) [aria-label^="Page ${page} "] .textLayer'), ${JSON.stringify([text, index])})`;
  const [x, y] = await playground.page.evaluate<[number, number]>(place);
  await playground.page.mouse.click(x, y);
}

/** The selected text of the editor with the focus, and the number of its line. */
function selection({ page }: PlaygroundPage): Promise<string> {
  return page.evaluate(`(() => {
    const root = document.activeElement?.shadowRoot;
    return root?.querySelector('.cm-activeLineGutter')?.textContent + ': ' + (root?.getSelection ? root : document).getSelection(); // Firefox has it only here
  })()`);
}

test('leads from a word to its line in Markdown', async () => {
  const markdown = '# Terms\n\n- first\n- **second** point\n';
  const playground = await open({ path: `/${await fragmentOf({ mode: 'markdown', markdown, options: {} })}` });
  await playground.shows('second');
  await click(playground, 'second');
  await expect.poll(() => selection(playground)).toBe('4: second');
});

test('leads from a match to its line, and back, by keyboard', async () => {
  const playground = await open({ path: `/${await fragmentOf({ ...DRAFT, html: HTML })}` });
  const { page } = playground;
  await playground.shows('Item 1');
  await page.getByRole('button', { name: 'Find in the PDF' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('item 117');
  await page.getByText('1 of 1', { exact: true }).waitFor();
  await page.keyboard.press('Alt+Enter');
  const line = HTML.slice(0, HTML.indexOf('Item 117<')).split('\n').length;
  await expect.poll(() => selection(playground)).toBe(`${line}: Item`);
  for (const key of ['End', 'ArrowDown', 'Alt+Enter']) await page.keyboard.press(key);
  await expect
    .poll(async () => {
      const word = playground.pdfPage(5).locator('.textLayer').getByText('Item 118');
      const [box, pointer] = await Promise.all([word.boundingBox(), playground.pdfPage(5).locator('.pdf-pointer').boundingBox()]);
      return Math.abs((box?.y ?? 0) - (pointer?.y ?? 1_000)) < 3;
    })
    .toBe(true);
});

test('leads from a word to its line, and from a line to its word', async () => {
  const playground = await open({ path: `/${await fragmentOf({ ...DRAFT, html: HTML })}` });
  await playground.shows('Item 1');
  const lineOf = (text: string) => HTML.slice(0, HTML.indexOf(text)).split('\n').length;
  await click(playground, 'PLACES');
  await expect.poll(() => selection(playground)).toBe(`${lineOf('<h1')}: places`);
  // The same words are in every row.
  await click(playground, 'each', { index: 16 });
  await expect.poll(() => selection(playground)).toBe(`${lineOf('Item 17<')}: each`);
  await playground.page.getByRole('spinbutton').first().focus();
  for (const key of ['Control+a', '5', 'Enter']) await playground.page.keyboard.press(key); // in Firefox, fill() adds to a number
  await click(playground, '700', { page: 5 });
  await expect.poll(() => selection(playground)).toBe(`${lineOf('700.00')}: 700`);

  await playground.page.keyboard.press('Control+End');
  await playground.page.keyboard.press('ArrowUp');
  await playground.page.keyboard.press('End');
  await playground.page.keyboard.press('Alt+Enter');
  const pointer = playground.pdfPage(5).locator('.pdf-pointer');
  await pointer.waitFor();
  const [box, word] = await Promise.all([
    pointer.boundingBox(),
    playground.pdfPage(5).locator('.textLayer').getByText('The last words').boundingBox(),
  ]);
  expect(Math.abs((box?.y ?? 0) - (word?.y ?? 0))).toBeLessThan(4);
  expect(box?.x).toBeGreaterThan((word?.x ?? 0) + 100);
});

test('finds words of a template in its data, and says where a word is in neither', async () => {
  const template = '<style>p::before { content: "Generated " }</style><h1>Letter to {{ name }}</h1><p>{{ lines[1] }}</p>';
  const data = JSON.stringify({ name: 'Ada Lovelace', lines: ['first', 'second line'] }, null, 2);
  const draft = { ...DRAFT, mode: 'template', engine: 'liquid', template, data };
  const playground = await open({ path: `/${await fragmentOf(draft)}` });
  await playground.shows('second line');
  await click(playground, 'Letter');
  await expect.poll(() => selection(playground)).toBe('1: Letter');
  await click(playground, 'second');
  await expect.poll(() => selection(playground)).toBe('5: second');
  await click(playground, 'Generated');
  await playground.page.getByText('This text is not in the source').waitFor();
});

test('marks what a render warns of at the line of its element, once, with the remedy', async () => {
  const html = `<style>.box { width: 200px; height: 40px; overflow: hidden; white-space: nowrap }</style>
<p>Before</p>
<div class="box">${'A line that is too long for its box. '.repeat(10)}</div>
<p>After</p>
`;
  const playground = await open({ path: `/${await fragmentOf({ ...DRAFT, html })}` });
  const { page } = playground;
  await playground.shows('Before');
  const marks = playground.editor('HTML').locator('.cm-lintRange-warning');
  await marks.first().waitFor();
  expect(await marks.allTextContents()).toEqual(['<div class="box">']);
  await marks.first().hover();
  const told = page.locator('.cm-diagnostic-warning');
  await told.getByText('Content cut off').waitFor();
  expect(await told.textContent()).toContain('make it larger, or set overflow: visible for print');
  await playground.write('HTML', '<p>Nothing to tell</p>');
  await playground.shows('Nothing to tell');
  await marks.first().waitFor({ state: 'detached' });
});

const WARNED = `<!doctype html>
<style>@page { size: A5; margin: 10mm } * { margin: 0 } h2, p { height: 10mm } .next { height: 40mm; break-inside: avoid }</style>
<h2>First</h2><p id="short" style="width: 40mm; height: 6mm; overflow: hidden">A line that is much longer than its box is wide</p>
<div style="height: 160mm"></div><h2>Second</h2><p class="next">Text on another page`;

test('outlines on the page what a warning is about, by mouse and by keyboard', async () => {
  const playground = await open({ path: `/${await fragmentOf({ ...DRAFT, html: WARNED })}` });
  const { page } = playground;
  await page.getByRole('button', { name: /^2 warnings/ }).click();
  const list = page.getByRole('list', { name: 'Warnings' });
  const outlined = page.locator('.pdf-pages:not(.coming) .pdf-pointer');
  const boxOf = async (number: number) => {
    const [box, paper] = [await outlined.boundingBox(), await playground.pdfPage(number).boundingBox()];
    if (!box || !paper) throw new Error('nothing is outlined');
    const perPixel = 148 / paper.width;
    const millimetres = { x: box.x - paper.x, y: box.y - paper.y, width: box.width, height: box.height };
    return Object.values(millimetres).map((length) => Math.round(length * perPixel));
  };
  await list.getByRole('button', { name: 'Content cut off' }).click();
  await outlined.waitFor();
  expect(await boxOf(1)).toEqual([10, 20, 40, 6]);

  await list.getByRole('button', { name: 'Content cut off' }).press('Tab');
  await expect.poll(() => boxOf(1)).toEqual([10, 186, 128, 10]); // the second heading, and not the first
  expect(await outlined.count()).toBe(1);
  expect((await outlined.boundingBox())?.y, 'it is scrolled into the view').toBeLessThan(page.viewportSize()?.height ?? 0);
  await page.keyboard.press('Enter');
  await expect.poll(() => boxOf(1)).toEqual([10, 186, 128, 10]);

  await page.setViewportSize(NARROW);
  await playground.tab('Edit');
  await list.getByRole('button', { name: 'Content cut off' }).click();
  await expect.poll(() => boxOf(1)).toEqual([10, 20, 40, 6]);
});
