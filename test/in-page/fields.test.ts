/** What the program in pages reads of form fields, how it prepares them, and how it restores them. */
import { describe, expect, test } from 'vitest';
import type { PackedFields } from '../../src/in-page/contract/fields.ts';
import type { FormControl } from '../../src/tag-structure.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { launchBrowser, openPage } from './open-page.ts';

const browser = await launchBrowser().then(closeAfterAll);

async function prepare(html: string) {
  const { ask, page } = await openPage(browser, html);
  const prepared = (await ask('prepareFields', 'key')) as PackedFields;
  const fields = JSON.parse(prepared.packed) as FormControl[];
  return { prepared, fields, ask, page };
}

test('controls become fields with the texts that they show', async () => {
  const { fields, prepared } = await prepare(`<label>Name <input name=name value=Ada></label><input type=month value=2024-02>
    <input placeholder=Hint><select><option value=a hidden>A<option value=b selected>B</select><input type=password value=secret>
    <fieldset><legend>Size</legend><input type=radio name=size value=s checked></fieldset><div data-signature-field=sign>Sign</div>`);
  const shown = fields.map(({ kind, name, key, group, value, shown }) => [kind, name || key || group, value, shown]);
  expect(shown).toEqual([
    ['text', 'Name', 'Ada', 'Ada'],
    ['text', '', 'February 2024', 'February 2024'],
    ['text', 'Hint', '', 'Hint'],
    ['combo', '', 'b', 'B'],
    ['text', '', '', ''],
    ['radio', 'size', 's', 's'],
    ['signature', 'Sign', '', ''],
  ]);
  expect(fields.map(({ group }) => group).filter(Boolean)).toEqual(['Size']);
  expect(prepared.styles).toContain(prepared.styles[fields[0]?.style.css as unknown as number]);
});

test('controls that cannot become fields are listed, with all radio buttons of their set', async () => {
  const { fields, prepared } = await prepare(`<input id=plain><input id=turned style="rotate: 9deg">
    <input type=radio name=a id=a1><input type=radio name=a id=a2 style="transform: scale(-1)"><input type=radio name=b id=b>
    <div style="overflow: hidden; width: 20px"><input id=cut style="width: 100px"></div>
    <p><template shadowrootmode=open><input id=shadow></template></p><input type=range><input hidden>`);
  expect(fields.map(({ selector }) => selector)).toEqual(['#plain', '#b']);
  expect(prepared.printed.map(({ selector }) => selector)).toEqual(['#turned', '#a1', '#a2', '#cut', '#shadow']);
});

test('more fields than the limit are an answer', async () => {
  const { ask } = await openPage(browser, '<input>'.repeat(2_001));
  expect(await ask('prepareFields', 'key')).toEqual({ exceeded: 'fields' });
});

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
