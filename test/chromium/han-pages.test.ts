/** A page records the languages of the Chinese characters that it has shown, including characters added by scripts. */
import { expect, onTestFinished, test } from 'vitest';
import type { Page } from '../../src/chromium/page.ts';
import { printOnce } from '../../src/chromium/print-once.ts';
import { loadConfig } from '../../src/config.ts';
import { Deadline } from '../../src/deadline.ts';
import { parseRenderRequest } from '../../src/render/request/render-request.ts';
import { startBareBrowser } from '../support/bare-browser.ts';
import { closeAfterAll } from '../support/close-after-all.ts';

const LANGUAGES = ['', 'ja', 'ko', 'unknown', 'zh-hans', 'zh-hant'];

const bare = await startBareBrowser().then(closeAfterAll);

/** Returns the languages that the page is still suitable for after it has printed the document. */
async function suitableAfter(html: string, hanLanguages: string): Promise<string[]> {
  using deadline = new Deadline(50_000);
  const { load, print } = parseRenderRequest({ html }, loadConfig({}).limits);
  const page: Page = await bare.browser.openPage();
  const job = (languages: string) => ({
    content: { kind: 'html' as const, html, baseUrl: undefined },
    load,
    print,
    hanLanguages: languages,
  });
  onTestFinished(() => page.close());
  await printOnce(page, job(hanLanguages), deadline);
  return LANGUAGES.filter((language) => page.suits(job(language)));
}

/** Returns a script that adds a Chinese character in a language, neither of which appears in the markup. */
const addCharacter = (language: string) =>
  `<script>const p = document.createElement('p'); p.setAttribute('la' + 'ng', '${language}'); p.append(String.fromCharCode(36820)); document.body.append(p)</script>`;

test.each([
  ['in one language', '<p lang="ja">\u8fd4', 'ja', ['ja']],
  ['in no declared language', '<p>\u8fd4', 'unknown', ['unknown']],
  ['without such characters', '<p>x', '', LANGUAGES],
  ['in one language, also added by a script', `<p lang="ja">\u8fd4${addCharacter('ja')}`, 'ja', ['ja']],
  ['in one language, with another added by a script', `<p lang="ja">\u8fd4${addCharacter('zh-Hant')}`, 'ja', []],
  ['added only by a script', `<p>x${addCharacter('ko')}`, '', ['ko']],
])('records the languages of Chinese characters %s', async (_name, html, languages, suitable) => {
  expect(await suitableAfter(html, languages)).toEqual(suitable);
});
