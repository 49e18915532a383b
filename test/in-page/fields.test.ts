/** How the program in pages prepares form controls, and how it restores them. */
import { describe, expect, test } from 'vitest';
import type { PackedFields } from '../../src/in-page/contract/fields.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { launchBrowser, openPage } from './open-page.ts';

const browser = await launchBrowser().then(closeAfterAll);

describe('prepared controls', () => {
  const HTML = '<form><textarea>lines</textarea><input type=checkbox checked><input name=style value=a></form>';
  const state =
    '[...document.querySelectorAll("textarea, input")].map(({ outerHTML, value, checked }) => [outerHTML, value, checked])';

  test('have links over them, show nothing, and can be restored', async () => {
    const { ask, page } = await openPage(browser, HTML);
    const before = await page.evaluate(state);
    await ask('prepareFields', 'key');
    const links = await page.evaluate('Array.from(document.links, ({ href }) => href)');
    expect(links).toEqual(['key:0', 'key:1', 'key:2']);
    expect(await page.evaluate('document.querySelector("textarea").value')).toBe('\u200b');
    expect(await page.evaluate('document.querySelector("[name=style]").style.textIndent')).toBe('-1.6e+07px');
    expect(await ask('restoreFields', [0, 1, 2])).toBe(true);
    expect(await page.evaluate(state)).toEqual(before);
    expect(await page.evaluate('document.links.length')).toBe(0);
  });

  test('count as changed if a script changes one before or after the print, unless it was restored', async () => {
    const { ask, page } = await openPage(browser, HTML);
    await ask('prepareFields', 'key');
    await ask('restoreFields', [2]);
    await page.evaluate('document.querySelector("[name=style]").value = "b"');
    expect(await ask('restoreFields', [])).toBe(true);
    const write = (text: string) => `document.querySelector('textarea').value = '${text}';`;
    await page.evaluate(`${write('other')} dispatchEvent(new Event('beforeprint')); ${write('\u200b')}`);
    expect(await ask('restoreFields', [])).toBe(false);
  });

  test('are restored at once if the document would look different', async () => {
    const { ask, page } = await openPage(browser, `<style>p:has(~ form [role]) { color: red }</style><p>text</p>${HTML}`);
    const before = await page.evaluate(state);
    const prepared = (await ask('prepareFields', 'key')) as PackedFields;
    expect(prepared).toMatchObject({ packed: '[]', printed: [{}, {}, {}] });
    expect(await page.evaluate(state)).toEqual(before);
    expect(await ask('restoreFields', [])).toBe(false); // nothing is prepared
  });
});
