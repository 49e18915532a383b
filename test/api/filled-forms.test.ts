/** The step `fill` with texts that no font of the form can show: they are drawn with the fonts of the service. */
import { expect, test } from 'vitest';
import { Client, type Report, succeeded } from '../support/client.ts';
import { writePdf } from '../support/hidden-texts.ts';
import { readFields } from '../support/read-fields.ts';
import { readPdf, type TextPosition } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';
import { unpackedText } from '../support/unpacked-text.ts';

const { url, key } = await sharedService();
const client = new Client(url, key);

type Rect = [left: number, bottom: number, right: number, top: number];

const utf16 = (text: string) => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
const GIVEN: Record<string, { rect: Rect; entries: string }> = {
  line: { rect: [20, 360, 220, 380], entries: '/FT /Tx /DA (/Helv 10 Tf 1 0 0 rg) /MK <</BG [0.9 1 0.9] /BC [0 0 1]>>' },
  right: { rect: [20, 330, 220, 350], entries: '/FT /Tx /Q 2' },
  auto: { rect: [20, 300, 80, 320], entries: '/FT /Tx /DA (/Helv 0 Tf 0 g)' },
  text: { rect: [20, 220, 120, 290], entries: `/FT /Tx /Ff ${1 << 12}` },
  comb: { rect: [20, 190, 120, 210], entries: `/FT /Tx /Ff ${1 << 24} /MaxLen 5` },
  menu: { rect: [20, 160, 120, 180], entries: `/FT /Ch /Ff ${1 << 17} /Opt [[(a) ${utf16('Αθήνα')}] (Bonn)]` },
  list: { rect: [20, 90, 120, 150], entries: `/FT /Ch /Opt [[(one) ${utf16('Москва')}] [(two) ${utf16('Київ')}]]` },
  turned: { rect: [240, 300, 260, 390], entries: '/FT /Tx /MK <</R 90>>' },
};
const FIELDS = Object.entries(GIVEN).map(([name, { rect, entries }], index) => ({
  id: 10 + index,
  body: `<</Type /Annot /Subtype /Widget /F 4 /P 4 0 R /T (${name}) /Rect [${rect.join(' ')}] ${entries}>>`,
}));
const REFS = FIELDS.map(({ id }) => `${id} 0 R`).join(' ');
/** One field can have a value that only viewers show. */
const form = (entries = '', name?: string, value = '') =>
  writePdf({
    1: `<</Type /Catalog /Pages 3 0 R /AcroForm <</Fields [${REFS}] /DR <</Font <</Helv 5 0 R>>>> /DA (/Helv 10 Tf 0 g) ${entries}>>>>`,
    3: '<</Type /Pages /Kids [4 0 R] /Count 1>>',
    4: `<</Type /Page /Parent 3 0 R /MediaBox [0 0 300 400] /Annots [${REFS}]>>`,
    5: '<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>>',
    ...Object.fromEntries(
      FIELDS.map(({ id, body }) => [id, name === undefined ? body : body.replace(`/T (${name})`, `/T (${name}) /V ${value}`)]),
    ),
  });
const FILE = form().toString('base64');

const VALUES = {
  line: 'Łódź Жук',
  right: 'ไทย',
  auto: 'Очень длинный текст',
  text: 'Первая строка\nΔεύτερη γραμμή',
  comb: 'ЖЯЦ',
  menu: 'a',
  list: 'two',
  turned: 'Жизнь',
};

const assemble = (file: string, ...steps: object[]) =>
  succeeded(client.send('POST', '/v1/pdf/assemble', { parts: [{ file }], steps }, { accept: 'application/json' })).then(
    async (reply) => {
      const { pdf, report } = (await reply.json()) as { pdf: string; report: Report };
      return { pdf: Buffer.from(pdf, 'base64'), report };
    },
  );

/** The texts inside of a rectangle, without spaces, and the leftmost and the uppermost of their places. */
function within(placed: TextPosition[], [left, bottom, right, top]: Rect) {
  const inside = placed.filter(({ x, y }) => x >= left && x <= right && y <= 400 - bottom && y >= 400 - top);
  return {
    text: inside
      .map(({ text }) => text)
      .join('')
      .replace(/\s/g, ''),
    x: Math.min(...inside.map(({ x }) => x)),
  };
}

test('texts of any script are in their fields, and stay when these are flattened', async () => {
  const { pdf, report } = await assemble(FILE, { fill: { fields: VALUES } });
  expect(report.warnings).toEqual([]);
  const fields = await readFields(pdf);
  expect(Object.fromEntries(fields.map(({ name, value }) => [name, [value].flat().join()]))).toEqual(VALUES);
  const { pdf: flat } = await assemble(pdf.toString('base64'), { flatten: {} });
  const [placed = []] = (await readPdf(flat)).placed;
  const shown = Object.entries(GIVEN).map(([name, { rect }]) => [name, within(placed, rect).text]);
  expect(Object.fromEntries(shown)).toEqual({
    ...{ line: 'ŁódźЖук', right: 'ไทย', auto: 'Оченьдлинныйтекст', text: 'ПерваястрокаΔεύτερηγραμμή' },
    ...{ comb: 'ЖЯЦ', menu: 'Αθήνα', list: 'МоскваКиїв', turned: 'Жизнь' },
  });
  expect(within(placed, GIVEN.line?.rect as Rect).x).toBeCloseTo(22, 0);
  expect(within(placed, GIVEN.right?.rect as Rect).x).toBeGreaterThan(190);
  expect(within(placed, GIVEN.comb?.rect as Rect).x).toBeLessThan(40);
  expect(unpackedText(pdf)).toContain('0.9 1 0.9 rg 0 0 200 20 re f');
});

test('fonts of the form show all other texts', async () => {
  const { pdf } = await assemble(FILE, { fill: { fields: { line: 'Ada', right: 'Grace' } } });
  expect(unpackedText(pdf).match(/BaseFont \/(?!Helvetica)\S+/g)).toBeNull();
});

test('values that viewers were to show are drawn when fields are flattened', async () => {
  const waiting = form('/NeedAppearances true', 'right', utf16('Жук'));
  const { pdf } = await assemble(waiting.toString('base64'), { flatten: {} });
  const [placed = []] = (await readPdf(pdf)).placed;
  expect(within(placed, GIVEN.right?.rect as Rect).text).toBe('Жук');
});

test('values without an appearance are drawn when fields are flattened, also if the form does not ask viewers for that', async () => {
  const { pdf } = await assemble(form('', 'right', '(Grace)').toString('base64'), { flatten: {} });
  const [placed = []] = (await readPdf(pdf)).placed;
  expect(within(placed, GIVEN.right?.rect as Rect).text).toBe('Grace');
});

test('a value that is longer than its field allows is refused', async () => {
  const send = (comb: string) =>
    client.send('POST', '/v1/pdf/assemble', { parts: [{ file: FILE }], steps: [{ fill: { fields: { line: comb, comb } } }] });
  const refused = await send('123456');
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    errors: [
      {
        path: 'steps[0].fill.fields.comb',
        message: 'cannot be filled: the value has 6 characters, and the field takes at most 5',
      },
    ],
  });
  expect((await send('12345')).status).toBe(200);
});

test('characters that no font has are a warning that names the step', async () => {
  const { report } = await assemble(FILE, { rotate: { angle: 90 } }, { fill: { fields: { line: '\u{12000}' } } });
  expect(report.warnings).toMatchObject([{ kind: 'missing_glyphs', step: 1 }]);
});

test('markup in a value is text', async () => {
  const line = '<b>Ж</b> & "Я"';
  const { pdf } = await assemble(FILE, { fill: { fields: { line } } }, { flatten: {} });
  const [placed = []] = (await readPdf(pdf)).placed;
  expect(within(placed, GIVEN.line?.rect as Rect).text).toBe(line.replace(/\s/g, ''));
});
