/** The playground at several sizes and themes, by keyboard, for screen readers, and with hostile documents. */
import { describe, expect, test } from 'vitest';
import { accessibilityViolations, horizontalOverflow } from '../support/page-checks.ts';
import { DRAFT, fragmentOf, type PlaygroundPage } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { eventually, startService } from '../support/service.ts';
import { NARROW, SEES_DOWNLOADS, WIDE } from '../support/web-page.ts';

const playgrounds = await openPlaygrounds();
const { open } = playgrounds;

const FAULTY = {
  ...DRAFT,
  mode: 'template',
  template: '<p>{{ a | monney }}</p>',
  options: { watermark: { text: 'DRAFT' }, cookies: [{ name: 'a', value: 'b' }], password: { user: 'x' } },
};

describe.each([
  ['light', WIDE],
  ['dark', WIDE],
  ['light', NARROW],
  ['dark', NARROW],
] as const)('in %s at %j', (colorScheme, viewport) => {
  test('has no serious accessibility violations in any tab or dialog', async () => {
    const playground = await open({ colorScheme, viewport });
    const { page } = playground;
    await playground.page.getByText('no warnings', { exact: true }).waitFor();
    expect(await accessibilityViolations(playground.page)).toEqual([]);
    for (const tab of ['Options', ...(viewport === NARROW ? ['Preview'] : [])] as Array<'Options' | 'Preview'>) {
      await playground.tab(tab);
      if (tab === 'Options') await openAllGroups(playground);
      expect(await accessibilityViolations(playground.page)).toEqual([]);
      expect(await horizontalOverflow(playground.page)).toBe(0);
    }
    await playground.tab('Edit');
    for (const name of ['Drafts', 'Examples', 'Copy as code', 'Link', 'Help']) {
      await page.getByRole('button', { name, exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      expect(await accessibilityViolations(playground.page)).toEqual([]);
      expect(await horizontalOverflow(playground.page)).toBe(0);
      const { y: top = 0 } = (await dialog.getByRole('heading').first().boundingBox()) ?? {};
      expect(top, 'its beginning is in sight').toBeGreaterThan(0);
      const { y: end = viewport.height } = (await dialog.getByRole('button', { name: 'Close' }).boundingBox()) ?? {};
      expect(end, 'so is the button that closes it').toBeLessThan(viewport.height);
      await page.keyboard.press('Escape');
    }
  });

  test('has no serious accessibility violations with errors', async () => {
    const playground = await open({ colorScheme, viewport, path: `/${await fragmentOf(FAULTY)}` });
    await playground.errorNotice.getByRole('button', { name: 'cookies' }).waitFor();
    expect(await accessibilityViolations(playground.page)).toEqual([]);
    await playground.tab('Options');
    expect(await accessibilityViolations(playground.page)).toEqual([]);
    expect(await horizontalOverflow(playground.page)).toBe(0);
  });
});

async function openAllGroups({ page }: PlaygroundPage): Promise<void> {
  for (const group of await page.locator('details').all())
    if ((await group.getAttribute('open')) === null) await group.locator('summary').click();
}

test('edits, sets options and shows the PDF on a narrow screen', async () => {
  const playground = await open({ viewport: NARROW });
  const { page } = playground;
  await playground.write('HTML', '<h1>Small screen</h1>');
  await (await playground.openOption('format')).getByRole('combobox').selectOption('A6');
  await playground.tab('Preview');
  await playground.shows('Small screen');
  const tools = await page.getByRole('toolbar', { name: 'Preview' }).boundingBox();
  expect(tools?.height, 'the tools are in one line').toBeLessThan(45);
  const pdfPage = playground.pdfPage(1);
  await eventually('the page is as wide as the screen allows', async () => {
    const { x = 0, width = 0 } = (await pdfPage.boundingBox()) ?? {};
    return width > 280 && x + width <= NARROW.width;
  });
  expect(await page.getByRole('textbox', { name: 'HTML' }).isVisible()).toBe(false);
});

test('has a button of warnings on a narrow screen that a finger hits', async () => {
  const playground = await open({ viewport: NARROW, path: `/${await fragmentOf({ ...DRAFT, html: '<img src="none.png">' })}` });
  const { height = 0 } = (await playground.page.getByRole('button', { name: '1 warning' }).boundingBox()) ?? {};
  expect(height).toBeGreaterThanOrEqual(24);
});

test('keeps its layout on a narrow screen while it renders, with the template tools in one line', async () => {
  const { page } = await open({ viewport: NARROW });
  await page.getByText('Rendered', { exact: true }).waitFor();
  const heightOf = async (selector: string) => (await page.locator(selector).boundingBox())?.height;
  const head = await heightOf('.top-bar');
  const tools = await heightOf('.editors-head');
  await page.route('**/v1/playground/pdf', () => {});
  await page.getByRole('button', { name: 'Template', exact: true }).click();
  await page.getByRole('button', { name: 'Rendering' }).waitFor();
  expect(await heightOf('.top-bar')).toBe(head);
  expect(await heightOf('.editors-head')).toBe(tools);
});

test('has the buttons above the text in one line, however wide its pane is', async () => {
  const { page } = await open();
  for (const width of [NARROW.width, 390, 820, 1180, 1240, 1290, 1340, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    expect((await page.locator('.editors-head').boundingBox())?.height, `at ${width} pixels`).toBeLessThan(50);
  }
});

test('shows what has the focus in a long dialog above its buttons', async () => {
  const { page } = await open({ viewport: NARROW });
  await page.getByRole('button', { name: 'Examples' }).click();
  const dialog = page.getByRole('dialog');
  const { y: end = 0 } = (await dialog.getByRole('button', { name: 'Close' }).boundingBox()) ?? {};
  for (const example of (await dialog.locator('.gallery-samples button').all()).slice(0, 12)) {
    await example.focus();
    const { y = end, height = 0 } = (await example.boundingBox()) ?? {};
    expect(y + height).toBeLessThan(end);
  }
});

test('moves the divider by keyboard and pointer, and keeps its position', async () => {
  const playground = await open();
  const { page } = playground;
  const divider = page.getByRole('separator', { name: 'Width of the editor' });
  const position = async () => Math.round((await divider.boundingBox())?.x ?? 0);
  const before = await position();
  await divider.focus();
  await page.keyboard.press('ArrowRight');
  await eventually('it has moved right', async () => (await position()) > before);
  await divider.hover();
  await page.mouse.down();
  await page.mouse.move(500, 400);
  await page.mouse.up();
  await eventually('it is where it was dragged', async () => Math.abs((await position()) - 500) < 10);
  const dragged = await position();
  await page.reload();
  await divider.waitFor();
  expect(await position()).toBe(dragged);
});

test('renders, changes tabs, zooms and lists shortcuts by keys outside of fields', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.shows('Northlight Studio');
  await playground.editor('HTML').focus();
  await page.keyboard.press('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Alt+4');
  await page.getByRole('searchbox', { name: 'Find an option' }).waitFor();
  await page.getByRole('tab', { name: 'Options' }).focus();
  const zoom = page.getByRole('combobox', { name: 'Zoom' });
  await page.keyboard.press('+');
  await eventually('the zoom is a number', async () => /^\d+$/.test(await zoom.inputValue()));
  await page.keyboard.press('0');
  await eventually('it fits the width', async () => (await zoom.inputValue()) === 'width');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Help' }).waitFor();
  await page.getByText(/10 seconds for a render/).waitFor();
  await page.keyboard.press('Escape');
  if (!SEES_DOWNLOADS) return;
  const saved = page.waitForEvent('download');
  await page.keyboard.press('Control+s');
  expect((await saved).suggestedFilename()).toBe('document.pdf');
});

test('finds, undoes, and releases the keyboard focus in the editor', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.write('HTML', '<p>needle</p>');
  await page.keyboard.press('Control+f');
  await page.getByRole('textbox', { name: 'Find' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+z');
  await playground.shows('Northlight Studio');
  await eventually('the focus is elsewhere', async () => {
    await page.keyboard.press('Escape'); // the first one clears the selection
    await page.keyboard.press('Tab');
    return playground.editor('HTML').evaluate((element) => !element.matches(':focus'));
  });
});

test('replaces the draft by an example, and restores it', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.write('HTML', '<p>Mine</p>');
  await playground.shows('Mine');
  for (const [name, text, pages] of EXAMPLES) {
    await page.getByRole('button', { name: 'Examples' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: new RegExp(`^${name} `) })
      .first()
      .click();
    await playground.shows(text);
    await page.getByText(`of ${pages}`, { exact: true }).waitFor();
  }
  await page.getByRole('button', { name: 'Examples' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Letter / })
    .first()
    .click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await playground.shows('Thank you');
});

const EXAMPLES = [
  ['Account statement', 'Harbour Bank', 6],
  ['Shipping label', 'Ada Byron', 1],
  ['Certificate', 'Grace Hopper', 1],
  ['Invoice', 'Thank you', 1],
] as const;

test('is not affected by hostile documents', async () => {
  const html = `<p>Hostile <a href="javascript:parent.document.title='owned'">link</a></p>
    <p>&lt;script&gt;document.title='owned'&lt;/script&gt;</p>
    <script>for (const other of [parent, top, opener, window]) try { other.document.title = 'owned'; other.location = 'https://example.com/' } catch {}</script>`;
  const playground = await open({ path: `/${await fragmentOf({ ...DRAFT, html })}` });
  const { page } = playground;
  await playground.errorNotice.getByText('The document could not be loaded.').waitFor();
  await playground.write('HTML', html.replace(/other\.location = '[^']*'/, ''));
  await playground.shows('Hostile');
  const preview = page.getByRole('region', { name: 'Preview' });
  expect(await preview.locator('a, iframe, script, object, embed').count()).toBe(0);
  await preview.getByText('link', { exact: false }).first().click();
  expect(page.context().pages()).toHaveLength(1);
  expect(page.url()).toBe(`${playgrounds.service.url}/`);
  expect(await page.title()).toBe('Playground · Platen');
});

test('redirects the visitor to the dashboard where the playground is switched off', async () => {
  await using off = await startService({ PLATEN_PLAYGROUND: 'off' });
  const { page, context } = await playgrounds.browser.visit(off.url);
  await page.goto('/');
  expect(page.url()).toBe(`${off.url}/dashboard`);
  await context.close();
});

test('says at /edit that the playground is switched off', async () => {
  const { page, context } = await playgrounds.browser.visit(playgrounds.service.url);
  await page.route('**/v1/playground', (route) => route.fulfill({ json: { enabled: false } }));
  await page.goto('/edit');
  await page.getByRole('heading', { name: 'The playground is switched off' }).waitFor();
  await context.close();
});
