/** Tags and bookmarks have the words of the document: a space between two words also where a line ends, and nowhere else. */
import { describe, expect, test } from 'vitest';
import { validatePdf } from '../../src/pdf/validate/validate.ts';
import { Client } from '../support/client.ts';
import { readPdf } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';
import { readTaggedText } from '../support/tagged-text.ts';

const STYLE = `<style>body { font: 16px/1.2 monospace; margin: 0 } p, h2, li, td { width: 12ch; margin: 0; padding: 0 }
.counted::before { content: "Note one: " }</style>`;

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const page = (body: string) => `<!doctype html><html lang="en"><title>Words</title>${STYLE}${body}</html>`;

async function render(body: string, options: object): Promise<Buffer> {
  return client.rendered({ html: page(body), options: { compress: false, ...options } });
}

const WRAPPED = '<h1>Terms</h1><p>They met again, after which it rained.';

test.each([
  ['tags', { tagged: true }],
  ['bookmarks', { outline: true }],
  ['PDF/UA-1', { conformance: 'PDF/UA-1' }],
  ['PDF/UA-2', { conformance: 'PDF/UA-2' }],
  ['PDF/A-3a', { conformance: 'PDF/A-3a' }],
  ['PDF/A-3a and PDF/UA-1', { conformance: ['PDF/A-3a', 'PDF/UA-1'] }],
])('separates words at line ends with %s', async (_, options) => {
  const pdf = await render(WRAPPED, options);
  expect(await readTaggedText(pdf)).toEqual(['Terms', 'They met again, after which it rained.']);
  expect((await readPdf(pdf)).pages).toEqual((await readPdf(await render(WRAPPED, {}))).pages);
});

test.each<[what: string, body: string, texts: string[]]>([
  ['list items', '<ul><li>one two three four five<li>six</ul>', ['one two three four five', 'six']],
  [
    'cells beside each other',
    '<table border="1"><tr><td>one two three four<td>five six seven eight</table>',
    ['one two three four', 'five six seven eight'],
  ],
  ['a link over several lines', '<p>go <a href="#a">one two three four</a> on', ['go one two three four on']],
  ['elements that begin at a line end', '<p>one two thr <b>four</b> five <i>six seven</i>', ['one two thr four five six seven']],
  ['an element that ends at a line end', '<p><b>one two thre</b> four', ['one two thre four']],
  ['adjoining elements', '<p>one t<b>w</b>o <i>un</i><u>like</u>ly H<sub>2</sub>O', ['one two unlikely H2O']],
  ['`br`', '<p>one<br>two<br><br>three', ['one two three']],
  ['blocks without tags', '<div>one</div><div>two</div><div>three</div>', ['one two three']],
  [
    'boxes in a line',
    '<p><span style="display: inline-block">one</span> <span style="display: inline-block">two</span>',
    ['one two'],
  ],
  [
    'adjoining boxes',
    '<div><span style="display: inline-block">a</span><span style="display: inline-block">b</span></div>',
    ['ab'],
  ],
  ['flex items', '<div style="display: flex; gap: 9px"><span>one</span><span>two</span></div>', ['one two']],
  [
    'columns',
    '<div style="columns: 2; width: 24ch">one two three four five six seven</div>',
    ['one two three four five six seven'],
  ],
  ['justified text', '<p style="text-align: justify">one two three four five six', ['one two three four five six']],
  ['letter spacing', '<p style="letter-spacing: 4px">one two three four', ['one two three four']],
  ['upper case', '<p style="text-transform: uppercase">one two three straße five', ['ONE TWO THREE STRASSE FIVE']],
  ['kept white space', '<p style="white-space: pre-wrap">one  two  three\nfour', ['one two three four']],
  ['generated text', '<p class="counted">two three four', ['two three four']],
  ['vertical text', '<p style="writing-mode: vertical-rl; height: 12ch; width: auto">one two three four', ['one two three four']],
  ['transparent and turned text', '<p style="opacity: .5; rotate: 3deg">one two three four five', ['one two three four five']],
  [
    'a page break in a paragraph',
    '<div style="height: 1000px"></div><p style="orphans: 1; widows: 1">one two three four five six seven eight',
    ['one two three four five six seven eight'],
  ],
  ['hyphens', '<p>a well-known-but-unlikely word', ['a well-known-but-unlikely word']],
  ['hyphens with a space', '<p>one two pre- and post-war', ['one two pre- and post-war']],
  ['soft hyphens', '<p>one extra&shy;ordi&shy;nary word', ['one extra\u00ad-ordi\u00adnary word']],
  ['addresses', '<p style="overflow-wrap: anywhere">https://example.com/averylongpath', ['https://example.com/averylongpath']],
  ['`wbr`', '<p>one two thr<wbr>ee four<wbr>five', ['one two three fourfive']],
  ['zero width spaces', '<p>one twofour&#8203;threefive', ['one twofour\u200bthreefive']],
  [
    'Chinese and Latin',
    '<p lang="zh">這是一個測試段落，用 Latin words 來檢查中文文字',
    ['這是一個測試段落，用 Latin words 來檢查中文文字'],
  ],
  ['Japanese', '<p lang="ja">これは日本語のテスト段落です。改行の際に', ['これは日本語のテスト段落です。改行の際に']],
  ['Korean', '<p lang="ko">한국어 문장은 띄어쓰기가 있으므로', ['한국어 문장은 띄어쓰기가 있으므로']],
  ['Hebrew', '<p dir="rtl" lang="he">זהו טקסט בעברית שנמשך שורות', ['זהו טקסט בעברית שנמשך שורות']],
  [
    'shadow trees',
    '<x-a><template shadowrootmode="open"><p>one two three four<slot></slot></p></template> five six seven</x-a>',
    ['one two three four five six seven'],
  ],
])('separates words of %s as the document does', async (_, body, texts) => {
  const pdf = await render(body, { tagged: true });
  expect(await readTaggedText(pdf)).toEqual(texts);
  const { violations } = await validatePdf(Uint8Array.from(pdf), ['PDF/UA-1']);
  expect(violations.map(({ rule }) => rule)).not.toContain('words_glued');
});

test('separates words where no font of the page has a space', async () => {
  const pdf = await render('one<br>two', { tagged: true });
  expect(await readTaggedText(pdf)).toEqual(['one two']);
});

test('separates words at a line end where the document says so, and not where it says otherwise', async () => {
  const body = '<p>aa bb cc in deed<p>aa bb cc in<wbr>deed one<p>dd ee ff gg hh ii<p>dd ee ff gg<wbr>hh ii';
  const texts = ['aa bb cc in deed', 'aa bb cc indeed one', 'dd ee ff gg hh ii', 'dd ee ff gghh ii'];
  expect(await readTaggedText(await render(body, { tagged: true }))).toEqual(texts);
});

describe('bookmarks', () => {
  const outlineOf = async (body: string, options: object = {}) =>
    (await readPdf(await render(body, { outline: true, ...options }))).outline.map((title) => title.trim());

  test.each<[what: string, body: string, titles: string[]]>([
    ['line ends', '<h2>General terms and conditions for the delivery</h2>', ['General terms and conditions for the delivery']],
    ['`br`', '<h2>First<br>steps</h2><h2>One<br/>Two</h2>', ['First steps', 'One Two']],
    ['blocks and boxes', '<h2><div>One</div><div>two</div> <b style="display: block">three</b></h2>', ['One two three']],
    ['elements', '<h2>One t<b>w</b>o <i>three four five</i> six</h2>', ['One two three four five six']],
    ['upper case', '<h2 style="text-transform: uppercase">terms and conditions groß</h2>', ['TERMS AND CONDITIONS GROSS']],
    ['capitals', '<h2 style="text-transform: capitalize">terms and conditions</h2>', ['Terms And Conditions']],
    [
      'soft hyphens and breaks',
      '<h2>Extra&shy;ordi&shy;nary long<wbr>word https://<wbr>example.com</h2>',
      ['Extraordinary longword https://example.com'],
    ],
    ['hidden text', '<h2>Terms and <span hidden>or </span>conditions <a aria-hidden="true">#</a></h2>', ['Terms and conditions']],
    ['generated text', '<h2 class="counted">terms and conditions apply</h2>', ['terms and conditions apply']],
    ['roles', '<div role="heading" aria-level="2" style="width: 12ch">terms and conditions</div>', ['terms and conditions']],
    ['right to left', '<h2 dir="rtl" lang="ar">هذا نص عربي طويل يمتد على عدة أسطر</h2>', ['هذا نص عربي طويل يمتد على عدة أسطر']],
    ['Chinese', '<h2 lang="zh">這是一個測試段落，用來檢查中文文字</h2>', ['這是一個測試段落，用來檢查中文文字']],
    ['labels', '<h2 aria-label="Other">terms and conditions</h2>', ['terms and conditions']],
  ])('have the text of headings with %s', async (_, body, titles) => {
    expect(await outlineOf(body)).toEqual(titles);
  });

  test('have it under a profile and in a part of the document', async () => {
    const body = `<h1>Start of it all</h1><h2>First<br>steps</h2><h2 style="break-before: page">More<br>steps</h2>`;
    expect(await outlineOf(body, { conformance: 'PDF/UA-2' })).toEqual(['Start of it all', 'First steps', 'More steps']);
    expect(await outlineOf(body, { pageRanges: '2' })).toEqual(['More steps']);
  });
});
