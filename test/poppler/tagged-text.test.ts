/** The text of tagged PDFs as poppler reads it from the tags. */
import { expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { outputOf, PrintedFiles } from '../support/printed-files.ts';

const files = await PrintedFiles.open().then(closeAfterAll);

const STYLE = '<style>@page { size: A5; margin: 15mm } p { font: 16px serif; width: 250px }</style>';
const COMMITTEE = 'The committee met again and considered the matter at length, after which it resolved to ask the members.';

test.each([
  ['at line ends', `<p>${COMMITTEE}`, COMMITTEE],
  ['at the ends of elements', `<p>${COMMITTEE.replace(/(\w+) (\w+)/g, '<b>$1</b> <i>$2</i>')}`, COMMITTEE],
  ['that do not break', '<p>It is 10&nbsp;kg of&nbsp;it, and more of it.', 'It is 10 kg of it, and more of it.'],
])('has spaces %s', async (_, body, text) => {
  for (const options of [{ tagged: true }, { conformance: ['PDF/A-3a', 'PDF/UA-1'] }, { conformance: 'PDF/UA-2' }]) {
    const html = `<!doctype html><html lang="en"><title>Words</title>${STYLE}<h1>Start</h1>${body}</html>`;
    const output = await outputOf('pdfinfo', '-struct-text', await files.render(html, options));
    const texts = [...output.matchAll(/"(.*)"/g)].map(([, found]) => found);
    expect(texts.join('')).toBe(`Start${text}`);
  }
});
