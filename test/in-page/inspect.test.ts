/** What the program in pages tells an inspection beyond what the warnings of a render show, and how it leaves the page. */
import { expect, test } from 'vitest';
import { WRITTEN_WINDOW } from '../../src/chromium/devtools/in-page-program.ts';
import type { EffectQuestion } from '../../src/in-page/contract/inspection.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { launchBrowser, openPage } from './open-page.ts';

const BROKEN_IMAGE = 'data:image/png;base64,AAAA';

const browser = await launchBrowser().then(closeAfterAll);

test('images in styles are decoded only if something can be waited for', async () => {
  const { ask } = await openPage(browser, `<p style="background: url(${BROKEN_IMAGE})">text</p>`);
  expect(await ask('findMissingParts', true)).toEqual([[BROKEN_IMAGE, 'image', []]]);
  expect(await ask('findMissingParts', false)).toEqual([]);
});

test('declarations that matter are the first of each kind with an element, and those for pages', async () => {
  const shown: EffectQuestion = { check: 'shown', property: 'float', media: [], selector: 'p' };
  const questions: EffectQuestion[] = [
    { ...shown, selector: '.absent' },
    { ...shown, media: ['screen and (max-width: 1px)'] },
    { ...shown, selector: '::bad(' },
    shown,
    { ...shown, selector: '#one' },
    { ...shown, check: 'applies', property: 'size', selector: '' },
  ];
  const { ask } = await openPage(browser, '<p id=one>text</p><p>text</p>');
  expect(await ask('findEffects', questions)).toEqual([
    { index: 3, element: 'p#one', count: 2 },
    { index: 5, element: '', count: 0 },
  ]);
});

test('text without a dictionary is found by its language', async () => {
  const { ask, page } = await openPage(
    browser,
    `<div style="hyphens: auto"><p lang=tlh>unbreakable</p><p>withoutlanguage</p><p lang=zxx hidden>invisible</p><p lang=art>short</p></div>
    <p lang=vo>notrequested</p>`,
  );
  expect(await ask('findUnhyphenated')).toEqual(['tlh', '']);
  expect(await page.evaluate('document.body.children.length')).toBe(2); // nothing is left behind
});

test('Chinese text in closed shadow roots gets a font if the window was prepared', async () => {
  const script = `const root = document.querySelector('div').attachShadow({ mode: 'closed' }); root.innerHTML = '<p lang=ja>\\u6f22';
      shownIn = () => getComputedStyle(root.firstChild).fontFamily`;
  const { ask, page } = await openPage(browser, '');
  await page.evaluate(WRITTEN_WINDOW);
  await page.setContent(`<div></div><script>${script}</script>`);
  expect(await ask('appendCjkFonts', false)).toEqual(['ja']);
  expect(await page.evaluate('shownIn()')).toContain('Noto Sans JP');
});
