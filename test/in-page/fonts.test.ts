/** How the program in pages finds characters without a glyph, and adds fonts to Chinese text. */
import { describe, expect, test } from 'vitest';
import { WRITTEN_WINDOW } from '../../src/chromium/devtools/in-page-program.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { launchBrowser, openPage } from './open-page.ts';

const browser = await launchBrowser().then(closeAfterAll);

describe('inspectText', () => {
  test('a character is missing if no font has it, and counts where it is visible', async () => {
    const { ask } = await openPage(browser, '<p>a \u{10fffe}\u{10fffe} \u{f0000}<p hidden>\u{f0001}');
    const found = await ask('inspectText', ['a', '\u{f0000}', '\u{f0001}'], []);
    expect(found).toMatchObject({ missing: [['\u{f0000}', 1]], covered: ['a'] });
  });

  test('marks and spaces need no glyph', async () => {
    const { ask } = await openPage(browser, '<p>a\u200d\u3000\u0301');
    expect(await ask('inspectText', ['\u200d', '\u3000', '\u0301'], [])).toMatchObject({ missing: [], covered: [] });
  });

  test('families are substituted unless they are generic, installed or declared', async () => {
    const html =
      '<p style="font-family: \'No Such Font\', serif">a<p style="font-family: Serif">b<p style="font-family: DejaVu Sans">c';
    const { ask } = await openPage(browser, html);
    const found = await ask('inspectText', [], ['no such font', 'SERIF', 'dejavu sans', 'unused']);
    expect(found).toMatchObject({ substituted: ['No Such Font'], installed: ['serif', 'DejaVu Sans'] });
  });
});

describe('appendCjkFonts', () => {
  const families = (selector: string) => `getComputedStyle(document.querySelector('${selector}')).fontFamily`;

  test('text gets the font of its language after its own', async () => {
    const html =
      '<p id=ja lang=ja style="font-family: serif">漢字<p id=tw lang=zh-TW style="font-family: serif">漢字<p id=other>漢字';
    const { ask, page } = await openPage(browser, html);
    expect((await ask('appendCjkFonts', false)).toSorted()).toEqual(['', 'ja', 'zh-hant']);
    expect(await page.evaluate(families('#ja'))).toBe('serif, "Noto Sans JP"');
    expect(await page.evaluate(families('#tw'))).toBe('serif, "Noto Sans TC"');
    expect(await page.evaluate(families('#other'))).not.toContain('Noto');
  });

  test('the font of text without a language is guessed by its letters', async () => {
    const guess = async (text: string) => {
      const { ask, page } = await openPage(browser, `<body style="font-family: serif">${text}`);
      await ask('appendCjkFonts', true);
      return page.evaluate(families('body'));
    };
    expect(await guess('漢字かな')).toContain('Noto Sans JP');
    expect(await guess('한국어 漢')).toContain('Noto Sans KR');
    expect(await guess('汉字')).toContain('Noto Sans SC');
  });

  test('text in shadow roots and in fields gets a font, too', async () => {
    const html = '<div><template shadowrootmode=open><p lang=ja>漢字</p></template></div><input lang=ko value="漢字">';
    const { ask, page } = await openPage(browser, html);
    expect((await ask('appendCjkFonts', false)).toSorted()).toEqual(['ja', 'ko']);
    expect(await page.evaluate(families('input'))).toContain('Noto Sans KR');
    expect(await page.evaluate(`getComputedStyle(document.querySelector('div').shadowRoot.firstChild).fontFamily`)).toContain(
      'JP',
    );
  });

  test('text in closed shadow roots gets a font if the window was prepared', async () => {
    const script = `const root = document.querySelector('div').attachShadow({ mode: 'closed' }); root.innerHTML = '<p lang=ja>\\u6f22';
      shownIn = () => getComputedStyle(root.firstChild).fontFamily`;
    const { ask, page } = await openPage(browser, '');
    await page.evaluate(WRITTEN_WINDOW);
    await page.setContent(`<div></div><script>${script}</script>`);
    expect(await ask('appendCjkFonts', false)).toEqual(['ja']);
    expect(await page.evaluate('shownIn()')).toContain('Noto Sans JP');
  });
});
