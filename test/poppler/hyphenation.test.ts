/** `hyphens: auto` breaks words, and poppler reads them whole. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bytesOf, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { outputOf, PrintedFiles } from '../support/printed-files.ts';
import { readBookmarks } from '../support/read-bookmarks.ts';

const files = await PrintedFiles.open().then(closeAfterAll);

const page = (body: string, style = '') =>
  `<!doctype html><html lang="de"><title>Words</title><style>@page { size: A5; margin: 15mm } p { font: 16px serif; width: 110px; hyphens: auto } ${style}</style>${body}`;
const COMPANY = 'Donaudampfschifffahrtsgesellschaft';

/** The lines as they are shown. */
async function linesOf(file: string): Promise<string[]> {
  const lines = (await outputOf('pdftotext', '-layout', file, '-')).split(/\s*[\n\f]\s*/);
  return lines.map((line) => line.trim()).filter(Boolean);
}

async function wordsOf(file: string): Promise<string> {
  return (await outputOf('pdftotext', file, '-')).replace(/\s+/g, ' ').trim();
}

test.each([
  ['de', 'Stra-ßen-ver-kehrs-ord-nung'],
  ['de-AT', 'Stra-ßen-ver-kehrs-ord-nung'],
  ['en', 'in-com-pre-hen-si-bil-i-ties'],
  ['en-GB', 'in-com-pre-hens-ib-il-it-ies'],
  ['fr', 'an-ti-cons-ti-tu-tion-nel-le-ment'],
  ['nl', 'ver-ant-woor-de-lijk-heid'],
  ['fi', 'len-to-ko-ne-suih-ku-tur-bii-ni'],
  ['cs', 'nej-ne-ob-hos-po-da-řo-vá-va-tel-nější'],
  ['ru', 'до-сто-при-ме-ча-тель-ность'],
  ['sr-Cyrl-RS', 'од-го-вор-но-сти-ма'],
  ['pt-BR', 'res-pon-sa-bi-li-da-des'],
  ['nb', 'an-svars-fra-skri-vel-se'],
])('words are hyphenated in %s', async (lang, hyphenated) => {
  const word = hyphenated.replaceAll('-', '');
  const file = await files.render(page(`<p lang="${lang}" style="width: 1px">${word}`));
  expect((await linesOf(file)).join('')).toBe(hyphenated);
  expect(await wordsOf(file)).toBe(word);
});

test.each([
  ['limits of characters', `<p style="hyphenate-limit-chars: 5 14 2">Straßenverkehrsordnung`, ['Straßenverkehrs-', 'ordnung']],
  ['long words only', `<p style="hyphenate-limit-chars: 30">Straßenverkehrsordnung`, ['Straßenverkehrsordnung']],
  ['another hyphen', `<p style="hyphenate-character: '='">Straßenverkehrsordnung`, ['Straßenver-', 'kehrsordnung']],
  ['soft hyphens of the document', '<p>Straßen&shy;verkehrsordnung', ['Straßen-', 'verkehrsordnung']],
  ['no hyphens', '<p style="hyphens: manual">Straßenverkehrsordnung', ['Straßenverkehrsordnung']],
  ['URLs', '<p>example.org/Straßenverkehrsordnung', ['example.org/Straßenverkehrsordnung']],
  ['no language', '<p lang="">Straßenverkehrsordnung', ['Straßenverkehrsordnung']],
  [
    'a shadow tree',
    '<p><b><template shadowrootmode=open><slot></slot></template>Straßenverkehrsordnung',
    ['Straßenver-', 'kehrsordnung'],
  ],
])('the document decides: %s', async (_, body, lines) => {
  const text = await linesOf(await files.render(page(body)));
  expect(text.map((line) => line.replace('\u2010', '-'))).toEqual(lines);
});

test('the tags and bookmarks have whole words', async () => {
  const html = page(
    `<h1 style="hyphens: auto; width: 150px">${COMPANY}</h1><p>Die <a href="https://example.com/">${COMPANY}</a> fährt.`,
  );
  for (const options of [{ tagged: true, outline: true }, { conformance: ['PDF/A-3a', 'PDF/UA-1'] }]) {
    const file = await files.render(html, options);
    const texts = [...(await outputOf('pdfinfo', '-struct-text', file)).matchAll(/"(.*)"/g)].map(([, text]) => text);
    expect(texts.join('').replaceAll('\u00ad', '')).toBe(`${COMPANY}Die ${COMPANY} fährt.`);
    expect(await readBookmarks(await readFile(file))).toMatchObject('outline' in options ? [{ title: COMPANY }] : []);
  }
});

test('the PDF has no soft hyphens where words are not broken', async () => {
  for (const compress of [true, false]) {
    const file = await files.render(page(`<p style="width: auto">Die ${COMPANY} fährt. `.repeat(200)), { compress });
    expect(await outputOf('qpdf', '--qdf', '--object-streams=disable', file, '-')).not.toContain('FEFF00AD');
    expect(await wordsOf(file)).toBe(`Die ${COMPANY} fährt. `.repeat(200).trim());
  }
});

test.each([
  ['hi', 'अंतरराष्ट्रीयकरण'],
  ['ta', 'பொருளாதாரத்திற்கான'],
])('nor where the font of the words has no soft hyphen: %s', async (lang, word) => {
  for (const width of ['auto', '80px']) {
    const file = await files.render(page(`<p lang="${lang}" style="width: ${width}">${`${word} `.repeat(9)}`));
    expect(await wordsOf(file)).toBe(`${word} `.repeat(9).trim());
  }
});

test('the same document gives the same bytes, and one without hyphens those that it had', async () => {
  const print = async (html: string) => bytesOf(await succeeded(files.service.pdf({ html })));
  const hyphenated = page(`<p>${COMPANY}`);
  expect(await print(hyphenated)).toEqual(await print(hyphenated));
  const whole = page('<p>kurz und gut');
  expect(await print(whole)).toEqual(await print(whole.replace('hyphens: auto', '')));
});

test('scripts never see the soft hyphens while a document loads', async () => {
  const script = `<script>onload = () => { document.querySelector('i').textContent = document.querySelector('p').textContent.length }</script>`;
  const file = await files.render(page(`<p>${COMPANY}</p><i></i>${script}`));
  expect(await wordsOf(file)).toBe(`${COMPANY} ${COMPANY.length}`);
});

test('long documents are hyphenated in all their parts', async () => {
  const rows = Array.from({ length: 4_200 }, (_, n) => `<tr><td>${n}<td>Straßenverkehrsordnung`).join('');
  const style = 'table { table-layout: fixed; width: 200px; font: 16px serif; hyphens: auto }';
  const file = await files.render(page(`<table>${rows}</table>`, style));
  const lines = await linesOf(file);
  expect(lines.filter((line) => line.includes('Straßenver-'))).toHaveLength(4_200);
});
