/** What the program in pages tells a print: clipped content, heights, rows of tables, headers and footers. */
import { describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { launchBrowser, openPage } from './open-page.ts';

const BROKEN_FONT = '@font-face { font-family: "Broken"; src: url(data:font/woff2;base64,AAAA) }';

const browser = await launchBrowser().then(closeAfterAll);

describe('clipped content', () => {
  const clipped = async (html: string) => (await openPage(browser, html)).ask('findClippedContent');

  test('the worst box of each side is named', async () => {
    const found = await clipped(`
      <div id=first style="height: 20px; overflow: hidden"><p style="margin: 0; line-height: 40px">one</div>
      <div class="second other" style="height: 20px; overflow: auto"><p style="margin: 0; line-height: 100px">two</div>
      <div style="width: 100px; overflow-x: scroll; white-space: nowrap">${'wide '.repeat(50)}</div>`);
    expect(found.map(({ side, element, count }) => ({ side, element, count }))).toEqual([
      { side: 'bottom', element: 'div.second', count: 2 },
      { side: 'right', element: 'div', count: 1 },
    ]);
  });

  test('boxes in shadow roots count', async () => {
    const box = '<div id=inner style="height: 20px; overflow: hidden"><slot></slot></div>';
    const [found] = await clipped(
      `<p><template shadowrootmode=open>${box}</template><span style="font-size: 80px">one</span></p>`,
    );
    expect(found).toMatchObject({ side: 'bottom', element: 'div#inner' });
  });

  test('a box inside hides the same content, so that the outer one hides nothing', async () => {
    const inner = '<div id=inner style="height: 10px; overflow: hidden">text</div>';
    const found = await clipped(
      `<div id=outer style="height: 15px; overflow: hidden">${inner}<div style="height: 9px"></div></div>`,
    );
    expect(found.map(({ element }) => element)).not.toContain('div#outer');
  });

  test('content that is hidden on purpose does not count', async () => {
    const text = 'text that is much longer than its box';
    const found = await clipped(`
      <div style="width: 80px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis">${text}</div>
      <div style="position: absolute; width: 1px; height: 1px; overflow: hidden">${text}</div>
      <div style="width: 80px; overflow: hidden"><div style="position: relative; width: 80px; height: 20px">
        <div style="position: absolute; left: 80px; width: 80px">aside</div></div></div>`);
    expect(found).toEqual([]);
  });

  test('frames and the left edge of the page cut off content', async () => {
    const found = await clipped(`<body dir=rtl><iframe width=300 height=50 srcdoc="<p style='height: 200px'><p>below"></iframe>
      <div style="width: 2000px; text-align: left">left</div>`);
    expect(found).toMatchObject([
      { side: 'bottom', element: 'iframe' },
      { side: 'left', element: '', count: 1 },
    ]);
  });

  test('the writing mode of the body is that of the document', async () => {
    const { ask, page } = await openPage(browser, '<body>text');
    expect(await ask('isVertical')).toBe(false);
    await page.evaluate(`document.body.style.writingMode = 'vertical-rl'`);
    expect(await ask('isVertical')).toBe(true);
  });
});

describe('heights', () => {
  test('an element that is as high as the window keeps its height on a sheet of another height', async () => {
    const { ask, page } = await openPage(browser, '<body style="margin: 0"><div style="height: 50vh"></div><p>text');
    await ask('noteHeights');
    await page.setViewportSize({ width: 800, height: 2_000 });
    await ask('fixHeights');
    const { height } = await ask('measureHeight');
    expect(height).toBe(2_000);
    expect(await page.evaluate(`document.querySelector('div').getBoundingClientRect().height`)).toBe(300);
  });

  test('a box that hides its content may grow', async () => {
    const box = '<div style="height: 50vh; max-height: 80vh; overflow: auto"><p style="margin: 0; height: 900px"></div>';
    const { ask, page } = await openPage(browser, `<body style="margin: 0">${box}`);
    expect(await ask('measureHeight')).toEqual({ height: 600, hidden: 600 });
    await ask('noteHeights');
    await page.setViewportSize({ width: 800, height: 700 });
    await ask('fixHeights');
    expect(await ask('measureHeight')).toEqual({ height: 900, hidden: 0 });
  });
});

test('header rows of a table are repeated up to a quarter of the page', async () => {
  const table = (id: string, px: number) =>
    `<table><thead id=${id} style="break-inside: avoid"><tr><th style="height: ${px}px; padding: 0"><tbody><tr><td style="height: 900px"></table>`;
  const { ask } = await openPage(browser, table('low', 100) + table('high', 200));
  expect(await ask('findUnrepeatedRows', 600, true)).toEqual([{ element: 'thead#high', display: 'table-header-group' }]);
  expect(await ask('findUnrepeatedRows', 600, false)).toHaveLength(2);
});

describe('headers and footers', () => {
  test('files are put into images, styles and links', async () => {
    const { ask } = await openPage(browser, '');
    const markup =
      '<link rel=stylesheet href=a/s.css><img src="./logo.png" srcset="logo.png 2x"><i style="background: url(\'other.png\')"></i><img src="//host/x">';
    const files = { 'a/s.css': { css: 'p { background: url(../logo.png) }' }, 'logo.png': { url: 'data:image/png,1' } };
    const filled = await ask('fillTemplate', markup, files);
    expect(filled.markup).toBe(
      '<style>p { background: url(data:image/png,1) }</style><img src="data:image/png,1" srcset="data:image/png,1 2x"><i style="background: url(\'other.png\')"></i><img src="//host/x">',
    );
    expect(filled.named).toEqual(['other.png', 'a/s.css', 'logo.png', '//host/x']);
  });

  test('markup that would be too large is empty', async () => {
    const { ask } = await openPage(browser, '');
    const files = { 'logo.png': { url: `data:image/png,${'1'.repeat(3_000_000)}` } };
    expect((await ask('fillTemplate', '<img src=logo.png>', files)).markup).toHaveLength(
      3_000_000 + '<img src="data:image/png,">'.length,
    );
    expect((await ask('fillTemplate', '<img src=logo.png><img src=logo.png>', files)).markup).toBe('');
  });

  test('each height is measured by itself, with sample text', async () => {
    const { ask } = await openPage(browser, '<body>');
    const header = '<style>* { font: 20px/30px monospace }</style><span class=pageNumber></span><div><!-- unclosed';
    expect(await ask('measureTemplates', header, '<div style="height: 40px">', 8)).toEqual([30, 40]);
  });

  test('a font that cannot be read is found', async () => {
    const { ask } = await openPage(browser, '<body>');
    await ask('holdTemplateFonts', [`<style>@media print { ${BROKEN_FONT} }</style>`, '<p>none']);
    await expect.poll(() => ask('findFailedFonts')).toEqual(['Broken']);
    await ask('holdTemplateFonts', ['<p>none']);
    expect(await ask('findFailedFonts')).toEqual([]);
  });
});
