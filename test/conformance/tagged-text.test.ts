/** The tags of every document have the words of the document: none is glued to the next one, and none is split. */
import { expect, test } from 'vitest';
import { startBareBrowser } from '../support/bare-browser.ts';
import { bytesOf } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { startService } from '../support/service.ts';
import { Tab } from '../support/tab.ts';
import { readTaggedText } from '../support/tagged-text.ts';
import { concurrently } from './concurrently.ts';
import { type ConformanceDocument, documents } from './documents.ts';

const MIN_WORDS = 10_000;

const [service, bare] = await Promise.all([startService().then(closeAfterAll), startBareBrowser().then(closeAfterAll)]);

/** The texts of a document: what is shown, and what CSS and controls add. */
const READ_TEXTS = `(() => {
  const roots = (root) => [root, ...[...root.querySelectorAll('*')].flatMap((each) => (each.shadowRoot ? roots(each.shadowRoot) : []))];
  const all = roots(document).flatMap((root) => [...root.querySelectorAll('*')]);
  const generated = (element) =>
    ['::before', '::after', '::marker'].map((part) => getComputedStyle(element, part).content.replace(/^"|"$/g, ''));
  const control = ({ value, placeholder, type }) => [value, placeholder, type].filter((text) => typeof text === 'string');
  const shown = () => [document.documentElement, ...roots(document).slice(1).flatMap((root) => [...root.children])]
    .map((element) => element.innerText ?? element.textContent);
  const withRuby = shown();
  for (const ruby of document.querySelectorAll('rt, rp')) ruby.style.display = 'none';
  return [
    ...withRuby,
    ...shown(),
    ...all.flatMap((element) => [...generated(element), ...control(element)]),
    ...[...document.querySelectorAll('text, math, option, object, canvas, rt')].map((element) => element.textContent),
  ];
})()`;

/** Words that are right, although `innerText` does not have them. */
const OTHER_WORDS: Record<string, string[]> = {
  'details and a summary': ['DETAILS'], // of the browser
  // Numbers after a prefix, in the order of their positions.
  'visual right-to-left': ['80ל', '72ו'],
  'described visual right-to-left': ['80ל', '72ו'],
  'elements with owners before and after them': ['123'], // links side by side, in another order than in the document
  // Chromium paints the text once for each shadow and outline, all with the same tag.
  'filters and shadows': ['TEXTTEXT'],
  'text with an outline': ['OUTLINEOUTLINEOUTLINE'],
};
/** A document whose text cannot be read by a script. */
const UNREADABLE = 'names of the document that hide its methods';

/** A text without punctuation, marks and the forms of characters. */
function plain(text: string): string {
  const letters = text
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}\s]+/gu, '');
  return letters.replace(/\s+/g, ' ').trim();
}

/** Returns the words in the tags of a document that are not its words, and the number of all of them. */
async function wrongWords({ name, html, options }: ConformanceDocument): Promise<{ wrong: string[]; count: number }> {
  const response = await service.pdf({ html, options: { ...options, tagged: true, compress: false } });
  expect(response.status, name).toBe(200);
  const blocks = (await readTaggedText(await bytesOf(response))).map(plain);
  await using tab = await Tab.open(bare.browser);
  await tab.session.send('Emulation.setEmulatedMedia', { media: 'print' });
  await tab.load(html);
  const texts = ((await tab.evaluate(READ_TEXTS)) as string[]).map(plain);
  const words = new Set([...texts.flatMap((text) => text.split(' ')), ...(OTHER_WORDS[name] ?? [])]);
  const unknown = blocks.filter((block) => !texts.some((text) => text.includes(block)));
  const wrong = unknown.flatMap((block) => block.split(' ').filter((word) => word && !words.has(word)));
  return { wrong: wrong.map((word) => `${name}: ${word}`), count: blocks.flatMap((block) => block.split(' ')).length };
}

test('words are separated as in the document', async () => {
  const wrong: string[] = [];
  let words = 0;
  await concurrently(
    documents().filter(({ name }) => name !== UNREADABLE),
    async (document) => {
      const found = await wrongWords(document);
      wrong.push(...found.wrong);
      words += found.count;
    },
  );
  expect(wrong).toEqual([]);
  expect(words).toBeGreaterThan(MIN_WORDS);
});
