/** Fonts of printed documents, and warnings about text without a font or with another one. */

import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readTables } from '../../src/fonts/font-tables.ts';
import { OPTIONAL_SCRIPTS } from '../../src/fonts/optional-fonts.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { readPdf } from '../support/read-pdf.ts';
import { runCli, type SharedService, startService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

interface FontWarning {
  kind: string;
  message: string;
  script?: string;
  characters?: string;
  count?: number;
  family?: string;
}

const service = await sharedService();

async function render(
  html: string,
  by: SharedService = service,
): Promise<{ text: string; fonts: string[]; warnings: FontWarning[] }> {
  const reply = await by.pdf({ html }, { headers: { accept: 'application/json' } });
  const answer = (await reply.json()) as { pdf: string; report: { warnings: FontWarning[] } };
  expect(reply.status, JSON.stringify(answer)).toBe(200);
  const pdf = Buffer.from(answer.pdf, 'base64');
  const { pages, fonts } = await readPdf(pdf);
  return { text: pages.join(), fonts, warnings: answer.report.warnings };
}

const folderOf = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
/** Returns a web font, which is a subset of Noto Sans SC. */
const webFont = () =>
  readFileSync(join(folderOf('@fontsource-variable/noto-sans-sc'), 'files/noto-sans-sc-119-wght-normal.woff2')).toString(
    'base64',
  );

describe('glyphs', () => {
  test.each([
    ['Latin', 'Füße œuvre'],
    ['Greek', 'Καλημέρα'],
    ['Cyrillic', 'Съешь ещё'],
    ['simplified Chinese', '<span lang="zh-CN">简体中文测试文档</span>'],
    ['traditional Chinese', '<span lang="zh-TW">繁體中文測試文件</span>'],
    ['Japanese', '<span lang="ja">日本語のテスト</span>'],
    ['Korean', '<span lang="ko">한국어시험문서</span>'],
    ['Devanagari', 'नमक'],
    ['Thai', 'กขฃ'],
    // The letters have no dots, because pdf.js reports those as separate characters (pdftotext does not).
    ['Arabic', 'النص العربي بالنقاط بيت كتاب جديد'],
    ['Hebrew', 'שלום'],
    ['emoji', '🚀🍎'],
    ['ballot boxes', '☐☑☒'],
    ['arrows', '←↑→↓↔⇒↦⟶➜'],
    ['currencies', '€₹₿₺₽₴₦₩₫₱₡'],
    ['signs of mathematics', '∑∫√≤≠∞∂∇⊗∈∀'],
    ['a script whose package is installed', 'தமிழ்'],
  ])('%s', async (_, html) => {
    const { text, warnings } = await render(`<!doctype html><p>${html}`);
    const expected = html.replace(/<[^>]*>/g, '');
    expect(sorted(text)).toBe(sorted(expected));
    expect(warnings).toEqual([]);
  });

  test.each([
    ['Cuneiform', '\u{12000}\u{12001}\u{12000}', '\u{12000}\u{12001}', 3],
    ['Egyptian Hieroglyphs', '&#x13000;', '\u{13000}', 1],
    ['Private use', '\uE123', '\uE123', 1],
    ['Tibetan', 'བོད', 'བད', 2],
  ])('reports %s if no font has it', async (script, html, characters, count) => {
    const { warnings } = await render(`<p>plain ${html}`);
    expect(warnings).toMatchObject([{ kind: 'missing_glyphs', script, characters, count }]);
  });

  test.each(Object.entries(OPTIONAL_SCRIPTS).filter(([script]) => ['Bengali', 'Khmer', 'Oriya', 'Sinhala'].includes(script)))(
    'names the package with a font for %s if none is installed',
    async (script, letters) => {
      const { warnings } = await render(`<p>${letters}`);
      expect(warnings).toMatchObject([{ kind: 'missing_glyphs', script, count: 3 }]);
      expect(warnings[0]?.message).toContain(`npm install @expo-google-fonts/noto-sans-${script.toLowerCase()}`);
    },
  );

  test('reports characters that a script wrote, but not hidden, combining, joining or unassigned ones', async () => {
    const written = await render('<p id=a><script>a.textContent = String.fromCodePoint(0x12000)</script>');
    expect(written.warnings).toMatchObject([{ kind: 'missing_glyphs', script: 'Cuneiform' }]);
    const hidden = '<style>/* \u{12000} */</style><p hidden>\u{12000}<p>a\u200D\uFE0F\u0301\u{E0100}\u0378\u2003b';
    expect((await render(hidden)).warnings).toEqual([]);
  });

  test('prints a page that breaks the functions used to inspect it', async () => {
    const html = `<p>\u{12000}<script>Set.prototype.add = RegExp.prototype.exec = Array.from = () => { throw 1 };
      document.createTreeWalker = document.createElement = () => null</script>`;
    expect((await service.pdf({ html })).status).toBe(200);
  });

  test('failOnWarning', async () => {
    const declared = await render('<p>x<div><template shadowrootmode="open"><p>&#x12000;</template></div>');
    expect(declared.warnings).toMatchObject([{ kind: 'missing_glyphs', script: 'Cuneiform' }]);
    const open = await render(
      '<p id=a>x<script>a.attachShadow({ mode: "open" }).textContent = String.fromCodePoint(0x12000)</script>',
    );
    expect(open.warnings).toMatchObject([{ kind: 'missing_glyphs', script: 'Cuneiform' }]);
    const reply = await service.pdf({ html: '<p>\u{12000}', options: { failOnWarning: ['missing_glyphs'] } });
    expect(reply.status).toBe(422);
    expect(await reply.json()).toMatchObject({ code: 'render_gate_failed', gate: 'failOnWarning' });
  });
});

describe('fonts of a page', () => {
  const emoji = '😀😴🚀☀️⚠️♟️☎️1️⃣#️⃣👨‍👩‍👧‍👦🇩🇪';

  test.each([
    ['simplified Chinese', '<p lang="zh-CN">简体中文，测试文档', ['NotoSansSC-Regular']],
    ['traditional Chinese', '<p lang="zh-TW">繁體中文測試文件', ['NotoSansTC-Regular']],
    ['Japanese', '<p lang="ja">日本語のテスト、骨', ['NotoSansJP-Regular']],
    ['Japanese in vertical lines', '<p lang="ja" style="writing-mode: vertical-rl">「日本語」。', ['NotoSansJP-Regular']],
    ['Korean', '<p lang="ko">한국어시험문서', ['NotoSansKR-Regular']],
    ['a family that is named', '<p style="font-family: \'Noto Sans JP\'">日本語の骨と直', ['NotoSansJP-Regular']],
    ['a family that is named, bold', '<p style="font: bold 1em \'Noto Sans JP\'">日本語の骨と直', ['NotoSansJP-Bold']],
    ['sans-serif, Arabic', '<p style="font-family: sans-serif">مرحبا', ['Vazirmatn-Regular']],
    ['sans-serif, Hebrew', '<p style="font-family: sans-serif">שלום', ['Arimo-Regular']],
    [
      'serif and monospace',
      '<p style="font-family: serif">a<p style="font-family: monospace">a',
      ['Tinos-Regular', 'Cousine-Regular'],
    ],
    [
      'families with doubles of the same widths',
      '<p style="font-family: Calibri">a<p style="font-family: Cambria">a',
      ['Carlito-Regular', 'Caladea-Regular'],
    ],
    ['Georgia', '<p style="font-family: Georgia, serif">a <b>a</b>', ['Gelasio-Regular', 'Gelasio-Bold']],
    ['Inter', '<p style="font-family: Inter">a <b>a</b>', ['Inter-Regular', 'Inter-Bold']],
    ['a formula', '<math><mo>∑</mo><mfrac><mi>x</mi><mn>2</mn></mfrac></math>', ['NotoSansMath-Regular']],
    ['emoji, including those with a text presentation by default', `<p>${emoji}`, ['Type 3 NotoColorEmoji']],
    ['signs that are text', '<p style="font-family: sans-serif">→ ✓ ☎', ['Arimo-Regular', 'NotoSansSC-Regular']],
  ])('%s', async (_, html, expected) => {
    const { fonts, warnings } = await render(`<!doctype html>${html}`);
    expect(fonts).toEqual(expected);
    expect(warnings).toEqual([]);
  });
});

describe('Chinese characters', () => {
  const before = '<style>p::before { content: "骨" }</style><p>';
  const inLanguage = (lang: string) => (html: string) => `<!doctype html><html lang="${lang}">${html.replace('LANG', lang)}`;
  const inJapanese = inLanguage('ja');
  const inChinese = inLanguage('zh-CN');

  test.each([
    ['text', '<p>骨直門邊'],
    ['text a script writes', '<p id=a><script>a.textContent = "骨直門邊"</script>'],
    ['generated content, which has no element of its own', before],
    ['generated content, written as a reference in CSS', before.replace('骨', '\\9aa8 ')],
    ['what keeps a size of its own', '<pre>骨</pre>'],
    ['a frame', '<iframe srcdoc="<html lang=LANG><p>骨"></iframe>'],
    ['a margin box', '<style>@page { margin: 2cm; @top-center { content: "骨" } }</style>'],
  ])('have the shapes of the language regardless of earlier documents on the page (%s)', async (_, html) => {
    for (const round of [1, 2]) {
      expect((await render(inChinese(html))).fonts, `Chinese, round ${round}`).toEqual(['NotoSansSC-Regular']);
      expect((await render(inJapanese(html))).fonts, `Japanese, round ${round}`).toEqual(['NotoSansJP-Regular']);
    }
  });

  test('do not shift lines in a following document without Chinese characters', async () => {
    const html = readFileSync(new URL('../visual/documents/letter.html', import.meta.url), 'utf8');
    const print = async () => Buffer.from(await (await service.pdf({ html })).arrayBuffer());
    const before = await print();
    await render(inJapanese('<p>骨<ruby>漢<rt>かん</rt></ruby>'));
    expect((await print()).equals(before)).toBe(true);
  });

  test('have the shapes of the language of each text in a document', async () => {
    const languages = ['ja', 'zh-CN', 'zh-TW', 'zh-Hant-HK', 'zh-Hans-HK', 'ko'];
    const { fonts } = await render(
      `<!doctype html><div lang="ja">${languages.map((lang) => `<p lang="${lang}">骨直`).join('')}</div>`,
    );
    expect(fonts).toEqual(['NotoSansJP-Regular', 'NotoSansSC-Regular', 'NotoSansTC-Regular', 'NotoSansKR-Regular']);
  });

  test.each([
    ['of a language', '<html lang="ja"><b>漢字</b>', ['NotoSansJP-Bold']],
    ['of no language', '<b>漢字</b>', ['NotoSansSC-Bold']],
    ['of no language, beside kana', '<b>漢字の</b>', ['NotoSansJP-Bold']],
    ['of no language, beside Hangul', '<b>漢字한국어</b>', ['NotoSansKR-Bold']],
    ['in a named font', '<html lang="zh-TW"><h1 style="font-family: Arial !important">漢字', ['NotoSansTC-Bold']],
    ['in a field', '<html lang="ja"><input value="漢字" style="font-weight: bold">', ['NotoSansJP-Bold']],
    [
      'in a shadow tree',
      '<html lang="ja"><div><template shadowrootmode="open"><b>漢字</b></template></div>',
      ['NotoSansJP-Bold'],
    ],
    ['beside a script', '<html lang="ja"><b>漢字</b><script></script>', ['NotoSansJP-Bold']],
  ])('in bold %s use the bold font', async (_, html, expected) => {
    expect((await render(`<!doctype html>${html}`)).fonts).toEqual(expected);
  });

  test('change nothing else: neither the font of nearby letters, nor their size, nor a font that the document names', async () => {
    const letters = await render(inJapanese('<p style="font-family: Times New Roman, serif">漢字 abc <code>abc</code>'));
    expect(letters.fonts).toEqual(['NotoSansJP-Regular', 'Tinos-Regular', 'Cousine-Regular']);
    const named = await render(inJapanese('<p style="font-family: \'Noto Sans SC\'">漢字'));
    expect(named.fonts).toEqual(['NotoSansSC-Regular']);
    const code = (text: string) => `<!doctype html><html lang="ja"><code id="a">${text}</code><p id="b"></p>
      <script>onbeforeprint = () => { b.textContent = getComputedStyle(a).fontSize }</script>`;
    expect((await render(code('漢字'))).text).toContain('13px');
  });
});

describe('families', () => {
  const face = () => `<style>@font-face { font-family: Own; src: url(data:font/woff2;base64,${webFont()}) }</style>`;

  test.each([
    ['that is not there', '<p style="font-family: Nonesuch, serif">a', ['Nonesuch']],
    ['in a shorthand', '<style>p { font: bold 12px/1.2 "None Such", serif }</style><p>a', ['None Such']],
    [
      'whose file is broken',
      '<style>@font-face { font-family: Off; src: url(data:,x) } p { font-family: Off }</style><p>a',
      ['Off'],
    ],
    ['a script names', '<p id=a>a<script>a.style.fontFamily = "Nonesuch"</script>', ['Nonesuch']],
    [
      'in a variable, beside a script',
      '<style>p { --f: Nonesuch; font-family: var(--f) }</style><p>a<script></script>',
      ['Nonesuch'],
    ],
    [
      'a script adopts with a sheet',
      '<p>a<script>const s = new CSSStyleSheet(); s.replaceSync("@media print { div { p& { font: 1em Nonesuch } } p { font: 1em Nonesuch } }"); document.adoptedStyleSheets.push(s)</script>',
      ['Nonesuch'],
    ],
    ['in an attribute, beside a script', '<svg><text y=9 font-family="Nonesuch">a</text></svg><script></script>', ['Nonesuch']],
    ['that is inherited, beside a script', '<style>p { font-family: inherit }</style><p>a<script></script>', []],
    ['of text that is not there', '<style>.x { font-family: Nonesuch }</style><p>a', []],
    ['that only comes second', '<p style="font-family: serif, Nonesuch">a', []],
    ['that is generic', '<p style="font-family: system-ui">a<p style="font-family: ui-serif">a', []],
    ['that is installed', '<p style="font-family: Arimo">a<p style="font-family: \'Noto Sans SC\'">简', []],
    [
      'that has a double',
      '<p style="font-family: Arial">a<p style="font-family: \'Times New Roman\'">a<p style="font-family: Georgia">a',
      [],
    ],
  ])('reports one %s', async (_, html, families) => {
    const { warnings } = await render(html);
    const lacking = warnings.filter(({ kind }) => kind !== 'resource_failed'); // The broken font also causes a warning that it failed to load.
    expect(lacking.map(({ kind, family }) => [kind, family])).toEqual(families.map((family) => ['font_substituted', family]));
  });

  test('does not report a font that the document loads', async () => {
    expect((await render(`${face()}<p style="font-family: Own">的`)).warnings).toEqual([]);
  });
});

test.each(['Tinos', 'Cousine', 'Carlito', 'Caladea', 'Noto Sans Math', 'Noto Sans Symbols 2'])(
  '%s is embedded without its hinting',
  async (family) => {
    const reply = await service.pdf({ html: `<p style="font-family: '${family}'">AVATAR ∑ ☎ <b>fi</b>` });
    const pdf = Buffer.from(await reply.arrayBuffer());
    const starts = [...pdf.toString('latin1').matchAll(/\/Length1 [^>]*>>\s*stream\n/g)].map(
      ({ index, 0: all }) => index + all.length,
    );
    const embedded = starts.map((start) => readTables(inflateSync(pdf.subarray(start))));
    expect(embedded.length).toBeGreaterThan(0);
    for (const tables of embedded) {
      expect([...tables.keys()]).toContain('glyf');
      expect([...tables.keys()]).not.toContain('fpgm');
    }
    expect((await readPdf(pdf)).fonts.join()).toContain(family.replaceAll(' ', ''));
  },
);

describe('PLATEN_FONTS_DIR', () => {
  test('makes its fonts available to every document', async () => {
    const folder = await makeTestFolder('fonts');
    const medium = '500Medium/NotoSansThai_500Medium.ttf';
    await copyFile(join(folderOf('@expo-google-fonts/noto-sans-thai'), medium), join(folder, 'a.ttf'));
    await using own = await startService({ PLATEN_FONTS_DIR: folder });
    const html = '<p style="font-family: \'Noto Sans Thai Medium\'">กขฃ';
    expect((await render(html)).warnings).toMatchObject([{ kind: 'font_substituted' }]);
    const { fonts, warnings } = await render(html, own);
    expect(fonts).toEqual(['NotoSansThai-Medium']);
    expect(warnings).toEqual([]);
    expect((await render('<p>กขฃ')).fonts).toEqual(['NotoSansThai-Regular']);
    expect((await render('<p>กขฃ', own)).fonts, 'the folder comes first').toEqual(['NotoSansThai-Medium']);
  });

  test('prefers a file in the folder over a substitute for the family', async () => {
    const folder = await makeTestFolder('fonts');
    await copyFile(
      join(folderOf('@expo-google-fonts/caladea'), '400Regular/Caladea_400Regular.ttf'),
      join(folder, 'Georgia.ttf'),
    );
    await using own = await startService({ PLATEN_FONTS_DIR: folder });
    const { fonts } = await render('<p style="font-family: Georgia, serif">a', own);
    expect(fonts, 'the font in the file is not named Georgia, and no substitute is used').toEqual(['Tinos-Regular']);
  });

  test('is rejected if the folder does not exist', async () => {
    const env = { ...process.env, PLATEN_FONTS_DIR: '/nowhere' } as Record<string, string>;
    await expect(runCli(['doctor'], env)).rejects.toMatchObject({ stderr: expect.stringContaining('PLATEN_FONTS_DIR=/nowhere') });
  });
});

/** Sorts the characters, because pdf.js returns those of right-to-left text in a different order. */
function sorted(text: string): string {
  return [...text.normalize('NFKC').replace(/\s/g, '')].sort().join('');
}
