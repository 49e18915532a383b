/** Random texts that are hidden in PDFs of several programs and redacted, searched with poppler, pdf.js and in all decoded streams. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { seededRandom } from '../support/carried-invoices.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { findTexts } from '../support/find-text.ts';
import { HIDING_PLACES, PRINTED_PLACES } from '../support/hidden-texts.ts';
import { outputOf, PrintedFiles, run } from '../support/printed-files.ts';

const files = await PrintedFiles.open().then(closeAfterAll);
const assembly = closeAfterAll(new UploadAssembly({ maxPdfBytes: 50_000_000, timeoutMs: 120_000 }));
const random = seededRandom(Number(process.env.PLATEN_TEST_SWEEP_REDACTION ?? 1));

/** Three words with letters that become ligatures, and digits. */
function newText(): string {
  const syllables = ['ba', 'ffi', 'do', 'fl', 'gu', 'kel', 'mo', 'fi', 'qui', 'ras', 'tt', 'voy', 'xe', 'zu'];
  const word = () => {
    const [first = 'b', ...more] = Array.from({ length: 3 }, () => syllables[Math.floor(random() * syllables.length)]).join('');
    return first.toUpperCase() + more.join('');
  };
  return `${word()} ${Math.floor(1_000 + random() * 9_000)} ${word()}`;
}

async function redact(pdf: Uint8Array, texts: readonly string[]): Promise<string> {
  const part = { content: pdf, title: 'a', pages: undefined, password: undefined, isOwn: false, dropsSignatures: false };
  const wanted = { texts, expressions: [], ignoresCase: true, boxes: [], color: [0, 0, 0], dropsAttachments: false };
  const order = { parts: [part], steps: [{ number: 0, step: { redact: wanted } }] };
  const { files: made } = await assembly.assemble('ada', order);
  return files.save((made[0] as { content: Uint8Array }).content);
}

const squeeze = (text: string) =>
  text
    .replace(/[\s\u00ad-]+/g, '')
    .normalize('NFKC')
    .toLowerCase();

/** Where texts are still found. */
async function findAll(file: string, texts: readonly string[]): Promise<string[]> {
  const pdf = await readFile(file);
  const read = await Promise.all(['-raw', '-layout'].map((mode) => outputOf('pdftotext', mode, file, '-')));
  const byPoppler = texts.filter((text) => read.some((each) => squeeze(each).includes(squeeze(text))));
  return [...byPoppler.map((text) => `${text} in poppler`), ...(await findTexts(pdf, texts))];
}

interface Hidden {
  file: string;
  texts: string[];
}

async function print(options: object): Promise<Hidden> {
  const [title, author, header] = [newText(), newText(), newText()];
  const hidden = PRINTED_PLACES.map((hide) => ({ text: newText(), hide }));
  const html = `<!doctype html><html lang="en"><title>${title}</title><h1>Kept</h1>${hidden.map(({ text, hide }) => hide(text)).join('')}`;
  const attachments = [{ name: 'a.csv', type: 'text/csv', content: Buffer.from(`x,${author}`).toString('base64') }];
  const templates = { headerTemplate: `<p style="font-size: 9px">${header}` };
  const file = await files.render(html, { ...options, ...templates, attachments, metadata: { author }, margin: '2cm' });
  return { file, texts: [title, author, header, ...hidden.map(({ text }) => text)] };
}

const PRINTS = [
  {},
  { tagged: true, outline: true },
  { tagged: true, outline: true, forms: true },
  { conformance: ['PDF/A-3b'], outline: true },
];

/** PDFs of others from ours. */
const CONVERSIONS: Record<string, (from: string, to: string) => Promise<unknown>> = {
  Ghostscript: (from, to) => run('gs', ['-q', '-dNOPAUSE', '-dBATCH', '-sDEVICE=pdfwrite', `-sOutputFile=${to}`, from]),
  'Ghostscript by PostScript': async (from, to) => {
    await run('gs', ['-q', '-dNOPAUSE', '-dBATCH', '-sDEVICE=ps2write', `-sOutputFile=${to}.ps`, from]);
    await run('gs', ['-q', '-dNOPAUSE', '-dBATCH', '-sDEVICE=pdfwrite', `-sOutputFile=${to}`, `${to}.ps`]);
  },
  cairo: (from, to) => run('pdftocairo', ['-pdf', from, to]),
  'qpdf in its readable form': (from, to) => run('qpdf', ['--qdf', from, to]),
  'qpdf with linearization': (from, to) => run('qpdf', ['--linearize', '--object-streams=generate', from, to]),
};

async function expectGone({ file, texts }: Hidden): Promise<void> {
  expect(await findAll(await redact(await readFile(file), texts), texts)).toEqual([]);
}

test.each(PRINTS)('nothing is left in a print with %o', async (options) => {
  const printed = await print(options);
  const found = await findAll(printed.file, printed.texts);
  const seen = printed.texts.filter((text) => found.some((each) => each.startsWith(text)));
  expect(seen.length).toBeGreaterThan(printed.texts.length / 2);
  await expectGone(printed);
});

test.each(Object.keys(CONVERSIONS))('nothing is left in a PDF of %s', async (name) => {
  const { file, texts } = await print({ outline: true });
  const converted = `${file}.other.pdf`;
  await CONVERSIONS[name]?.(file, converted);
  await expectGone({ file: converted, texts });
});

const count = Number(process.env.PLATEN_TEST_SWEEP_REDACTION ?? 0);
test.runIf(count)('nothing is left of as many texts as are asked for', { timeout: 3_600_000 }, async () => {
  const places = Object.entries(HIDING_PLACES);
  let hidden = 0;
  for (let n = 0; hidden < count; n++) {
    const [where, hide] = places[n % places.length] as (typeof places)[number];
    const text = newText();
    const file = await files.save(hide(text)).catch(() => undefined); // some are meant to be damaged
    if (file)
      await expectGone({ file, texts: [text, text.replaceAll(' ', '')] }).catch((error) => {
        throw new Error(where, { cause: error });
      });
    if (file) hidden++;
    if (n % places.length) continue;
    const printed = await print(PRINTS[(n / places.length) % PRINTS.length] as object);
    await expectGone(printed);
    hidden += printed.texts.length;
  }
  process.stdout.write(`${hidden} texts were hidden, and none was found.\n`);
});
