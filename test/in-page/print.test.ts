/** What the program in pages tells a print: clipped content, heights, headers and footers. */
import { describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { launchBrowser, openPage } from './open-page.ts';

const BROKEN_FONT = '@font-face { font-family: "Broken"; src: url(data:font/woff2;base64,AAAA) }';

const browser = await launchBrowser().then(closeAfterAll);

test('a box that hides what a box in it hides as well is not reported', async () => {
  const inner = '<div id=inner style="height: 10px; overflow: hidden">text</div>';
  const outer = `<div id=outer style="height: 15px; overflow: hidden">${inner}<div style="height: 9px"></div></div>`;
  const { ask } = await openPage(browser, outer);
  expect((await ask('findClippedContent')).map(({ element }) => element)).not.toContain('div#outer');
});

test('the writing mode of the body is that of the document', async () => {
  const { ask, page } = await openPage(browser, '<body>text');
  expect(await ask('isVertical')).toBe(false);
  await page.evaluate(`document.body.style.writingMode = 'vertical-rl'`);
  expect(await ask('isVertical')).toBe(true);
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
