/**
 * How large are PDFs compared with those of Chromium, and with those of WeasyPrint if its command is given? How much processor time
 * of a thread does that take?
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compressPrinted } from '../src/pdf/compress/compress-printed.ts';
import { printAlone } from '../src/render/pdf.ts';
import { parseRenderRequest } from '../src/render/request/render-request.ts';
import { CONFORMANT, report, TAGGED } from './conformance.ts';
import { book, invoice, letter, statement } from './documents.ts';
import { type Engine, startEngine } from './engine.ts';
import { median, type Row, rowWithLimit } from './measure.ts';

const OWNER = { boundary: 'bench', shareOf: 'bench' };
const LIMITS = { renderTimeoutMs: 60_000, maxRenderTimeoutMs: 60_000 };
const MAX_MEDIAN = 0.65;
const MAX_MS_PER_PAGE = 5;
const ROUNDS = 40;
const WARM_UP = 20;
const HINTED_FONTS = { 400: 'tinos/400Regular/Tinos_400Regular.ttf', 700: 'tinos/700Bold/Tinos_700Bold.ttf' };
const run = promisify(execFile);

interface SizedDocument {
  html: string;
  options?: object;
  /** The most that the PDF may have of the bytes of WeasyPrint's. */
  most?: number;
}

interface Printed {
  bytes: Buffer;
  pages: number;
}

export async function* measureSizes(weasyPrint: string | undefined): AsyncGenerator<Row> {
  await using engine = await startEngine({ places: 1 });
  const ratios: number[] = [];
  for (const [name, document] of Object.entries(listDocuments())) {
    const raw = await print(engine, document, true);
    const printed = await print(engine, document, false);
    const [bytes, rawBytes] = [printed.bytes.length, raw.bytes.length];
    const ratio = bytes / rawBytes;
    ratios.push(ratio);
    const value = `${ratio.toFixed(2)} times (${bytes} bytes against ${rawBytes})`;
    yield rowWithLimit(`size of ${name} against Chromium's`, value, { ratio, bytes, rawBytes }, { limited: ratio, most: 1 });
    if (!document.options) yield measureTime(name, raw);
    if (weasyPrint && document.most) yield await compareWithWeasyPrint(weasyPrint, name, document, bytes);
  }
  const ratio = median(ratios);
  yield rowWithLimit(
    "size against Chromium's, median",
    `${ratio.toFixed(2)} times`,
    { ratio },
    { limited: ratio, most: MAX_MEDIAN },
  );
}

function listDocuments(): Record<string, SizedDocument> {
  return {
    'a 1-page invoice': { html: invoice(20) },
    'a 16-page invoice': { html: invoice(560) },
    'a letter': { html: letter(), most: 1.1 },
    'a letter in a web font': { html: letter(webFonts()), most: 1.1 },
    'a book': { html: book(), most: 1 },
    'a statement': { html: statement(), most: 1 },
    'a tagged report': { html: report(16), options: TAGGED },
    'a conformant report': { html: report(16), options: CONFORMANT },
  };
}

/** A style sheet with fonts that have instructions for hinting. */
function webFonts(): string {
  const { resolve } = createRequire(import.meta.url);
  const faces = Object.entries(HINTED_FONTS).map(([weight, file]) => {
    const font = readFileSync(resolve(`@expo-google-fonts/${file}`)).toString('base64');
    return `@font-face { font-family: Own; font-weight: ${weight}; src: url(data:font/ttf;base64,${font}) }`;
  });
  return `<style>${faces.join('')} body { font-family: Own }</style>`;
}

/** With `isRaw`, returns the bytes of Chromium, which has tags but no conformance. */
async function print(engine: Engine, { html, options }: SizedDocument, isRaw: boolean): Promise<Printed> {
  const given = isRaw ? { ...(options && TAGGED), compress: false } : (options ?? {});
  const request = parseRenderRequest({ html, options: given }, LIMITS);
  if (isRaw) request.finish.repairsTags = false;
  const { chunks, pages } = await printAlone(engine, request, OWNER);
  return { bytes: Buffer.concat(chunks), pages };
}

function measureTime(name: string, { bytes, pages }: Printed): Row {
  for (let round = 0; round < WARM_UP; round++) compressPrinted(bytes);
  const start = process.threadCpuUsage();
  for (let round = 0; round < ROUNDS; round++) compressPrinted(bytes);
  const { user, system } = process.threadCpuUsage(start);
  const msPerPage = (user + system) / 1_000 / ROUNDS / pages;
  const value = `${msPerPage.toFixed(2)} ms a page (${(msPerPage * pages).toFixed(2)} ms for ${pages} pages)`;
  const limit = { limited: msPerPage, most: MAX_MS_PER_PAGE, unit: ' ms a page' };
  return rowWithLimit(`processor time to compress ${name}`, value, { msPerPage, pages }, limit);
}

async function compareWithWeasyPrint(
  command: string,
  name: string,
  { html, most = 1 }: SizedDocument,
  bytes: number,
): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-sizes-'));
  try {
    const [source, pdf] = [join(folder, 'document.html'), join(folder, 'document.pdf')];
    await writeFile(source, html);
    await run(command, ['--quiet', source, pdf]);
    const others = (await stat(pdf)).size;
    const ratio = bytes / others;
    const value = `${ratio.toFixed(2)} times (${bytes} bytes against ${others})`;
    return rowWithLimit(`size of ${name} against WeasyPrint's`, value, { ratio, bytes, others }, { limited: ratio, most });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
