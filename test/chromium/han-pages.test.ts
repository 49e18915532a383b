/** A page knows the languages of the Chinese characters that it has shown, also those that a script added. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from '../../src/chromium/page.ts';
import { loadConfig } from '../../src/config.ts';
import { Deadline } from '../../src/deadline.ts';
import { parseRenderRequest } from '../../src/render/render-request.ts';
import { type BareBrowser, startBareBrowser } from '../support/bare-browser.ts';

const LANGUAGES = ['', 'ja', 'ko', 'unknown', 'zh-hans', 'zh-hant'];
let bare: BareBrowser;

beforeAll(async () => {
  bare = await startBareBrowser();
});
afterAll(() => bare.close());

/** The languages that the page still serves, after it has printed the document. */
async function suitedAfter(html: string, hanLanguages: string): Promise<string[]> {
  using deadline = new Deadline(50_000);
  const { load, print } = parseRenderRequest({ html }, loadConfig({}));
  const page: Page = await bare.browser.openPage();
  const job = (languages: string) => ({
    content: { kind: 'html' as const, html, baseUrl: undefined },
    load,
    print,
    hanLanguages: languages,
  });
  try {
    await page.print(job(hanLanguages), deadline);
    return LANGUAGES.filter((language) => page.suits(job(language)));
  } finally {
    await page.close();
  }
}

/** Text that the markup does not tell. */
const bring = (language: string) =>
  `<script>const p = document.createElement('p'); p.setAttribute('la' + 'ng', '${language}'); p.append(String.fromCharCode(36820)); document.body.append(p)</script>`;

test.each([
  ['of one language', '<p lang="ja">\u8fd4', 'ja', ['ja']],
  ['of none', '<p>\u8fd4', 'unknown', ['unknown']],
  ['without such characters', '<p>x', '', LANGUAGES],
  ['of one, and the same by a script', `<p lang="ja">\u8fd4${bring('ja')}`, 'ja', ['ja']],
  ['of one, and another by a script', `<p lang="ja">\u8fd4${bring('zh-Hant')}`, 'ja', []],
  ['without, and one by a script', `<p>x${bring('ko')}`, '', ['ko']],
])('knows the languages of Chinese characters in a document %s', async (_name, html, languages, suited) => {
  expect(await suitedAfter(html, languages)).toEqual(suited);
});
