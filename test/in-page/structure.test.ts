/** What the program in pages reads of the structure of a document, and what it leaves behind. */
import { describe, expect, test } from 'vitest';
import type { DocumentStructure } from '../../src/tag-structure.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { launchBrowser, openPage } from './open-page.ts';

const browser = await launchBrowser().then(closeAfterAll);

async function read(html: string, tagsAllDrawings = false) {
  const { ask, page } = await openPage(browser, html);
  const structure = JSON.parse(await ask('readStructure', tagsAllDrawings)) as DocumentStructure;
  return { structure, ask, page };
}

test('headings, links and fields have the names that are read out', async () => {
  const { structure } = await read(`<title>Title</title><html lang=en><h2>Soft&shy;ly <img alt=named></h2>
    <p id=label hidden>Labelled</p><a href=#part aria-labelledby=label>text</a><div aria-hidden=true><a href=https://a.test/>b</a></div>
    <label>City <input></label><button title=tip></button><input type=submit><h3 role=presentation>none</h3>`);
  expect(structure).toMatchObject({ language: 'en', title: 'Title' });
  expect(structure.headings).toMatchObject([{ level: 2, text: 'Softly named', selector: 'html > body > h2' }]);
  expect(structure.links).toEqual([
    { target: '#part', name: 'Labelled', isHidden: false },
    { target: 'https://a.test/', name: 'b', isHidden: true },
  ]);
  expect(structure.fields.map(({ role, name }) => [role, name])).toEqual([
    ['tv', 'City'],
    ['pb', 'tip'],
    ['pb', 'submit'],
  ]);
});

test('elements are in the order in which they are read', async () => {
  const { structure } = await read(`<div aria-owns=last><h1>1</h1></div><section><template shadowrootmode=open><h1>2</h1><slot
    name=b></slot><slot></slot></template><h1>4</h1><h1 slot=b>3</h1></section><h1>6</h1><h1 id=last>1a</h1>`);
  expect(structure.headings.map(({ text }) => text)).toEqual(['1', '1a', '2', '3', '4', '6']);
});

test('decoration around shadow roots and slots hides what is in them', async () => {
  const host = '<div><template shadowrootmode=open><p aria-hidden=true><slot></slot></p></template><h1>slotted</h1></div>';
  const { structure } = await read(
    `${host}<div inert><template shadowrootmode=open><h1>inner</h1></template></div><h1>shown</h1>`,
  );
  expect(structure.headings.map(({ text }) => text)).toEqual(['shown']);
});

test('tables have the cells of each row, with those that have no tagged content', async () => {
  const { structure } = await read(`<table><thead><tr><th>a<th><img alt=''></thead>
    <tr><td rowspan=0 colspan=2>b<tr><td><svg width=9 height=9></svg><tr hidden><td>c</table>`);
  expect(structure.tables).toMatchObject([
    {
      head: 1,
      foot: 0,
      rows: [
        [
          [false, 1, 1],
          [true, 1, 1],
        ],
        [[false, 2, 2]],
        [[false, 1, 1]],
      ],
    },
  ]);
});

test('names of form fields do not hide the members of forms and of the document', async () => {
  const names = ['getAttribute', 'localName', 'parentElement', 'matches', 'checkVisibility', 'nodeType', 'childNodes'];
  const fields = names.map((name) => `<input name=${name}>`).join('');
  const { structure } = await read(`<form lang=x>${fields}<h1>Heading</h1></form><img name=body><img name=title>`);
  expect(structure.headings).toHaveLength(1);
  expect(structure.fields).toHaveLength(names.length);
  expect(structure.invalidLanguages).toMatchObject([{ selector: 'html > body > form' }]);
});

describe('drawings', () => {
  const DRAWING = '<svg width=9 height=9><rect width=9 height=9></rect></svg>';
  const roles = 'Array.from(document.querySelectorAll("svg, span"), (element) => element.getAttribute("role"))';

  test('get a role, also in place of the element around them', async () => {
    const { structure, page } = await read(`${DRAWING}<span role=img aria-label=Icon>${DRAWING}</span>`);
    expect(structure.images.map(({ kind, name }) => [kind, name])).toEqual([
      ['picture', ''],
      ['picture', 'Icon'],
    ]);
    expect(await page.evaluate(roles)).toEqual(['img', null, 'img']);
  });

  test('keep their role if the document would look different', async () => {
    const { structure, page } = await read(`<style>svg[role=img] { border: 1px solid }</style>${DRAWING}`);
    expect(structure.images).toMatchObject([{ kind: 'wrapper' }]);
    expect(await page.evaluate(roles)).toEqual([null]);
  });

  test('with text are pictures only if they have a name or all are tagged', async () => {
    const text = '<svg width=9 height=9><text>text</text></svg>';
    expect(await (await read(text)).page.evaluate(roles)).toEqual([null]);
    expect(await (await read(text, true)).page.evaluate(roles)).toEqual(['img']);
  });

  test('lose their role again if the answer cannot be written, and keep it otherwise', async () => {
    const { ask, page } = await openPage(browser, DRAWING);
    await page.evaluate('JSON.stringify = () => { throw new Error() }');
    await expect(ask('readStructure', false)).rejects.toThrow();
    expect(await page.evaluate(roles)).toEqual(['img']);
    await ask('restoreAttributes');
    expect(await page.evaluate(roles)).toEqual([null]);

    const read = await openPage(browser, DRAWING);
    await read.ask('readStructure', false);
    await read.ask('restoreAttributes');
    expect(await read.page.evaluate(roles)).toEqual(['img']);
  });
});
