/** What is done with a PDF of another program, and what must be as in its source. */
import { PDF, type PdfDict, PdfNumber } from '@libpdf/core';
import { Deadline } from '../../src/deadline.ts';
import type { Assembled, AssemblyOrder } from '../../src/pdf/assemble/assemble.ts';
import { EXTRACTED, type Extracted } from '../../src/pdf/assemble/extract.ts';
import type { Step } from '../../src/pdf/assemble/steps.ts';
import { isProtected } from '../../src/pdf/objects/cross-reference.ts';
import { ForeignPdf } from '../../src/pdf/objects/foreign-pdf.ts';
import { pageView, toShown } from '../../src/pdf/objects/page-view.ts';
import { completeSignature, type Signing } from '../../src/render/steps/signing.ts';
import type { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { issue } from '../../test/support/pki.ts';
import { smallPdf } from '../../test/support/small-pdf.ts';
import type { Box, Reading, ReadPdf } from './reading.ts';

export interface Source extends ReadPdf {
  content: Uint8Array;
}

export interface Trial {
  /** Absent if nothing is assembled, because only `finish` adds something. */
  order?: Omit<AssemblyOrder, 'maxBytes'>;
  /** For each PDF that comes out, the indexes of the pages of the source. Default: one PDF with all pages. */
  pages?: number[][];
  /** What may look different, on each page. */
  changed?: Box[][];
  /** Where the words of the source go, on each page. Default: nowhere. */
  emptied?: Box[][];
  /** A word that is there once more on each page, or the words that are more in the whole. */
  added?: string | string[];
  /** Whether pages are not where they were. */
  isLaidOut?: boolean;
  /** Whether something may be missing if the report says so. */
  mayDrop?: boolean;
  /** Whether a refusal is a valid result, such as for a PDF that cannot conform. */
  mayRefuse?: boolean;
  password?: string;
  /** Changes the PDF in another way. */
  finish?: (content: Uint8Array) => Promise<Uint8Array>;
  /** Returns what is wrong besides. */
  check?: (assembled: Assembled, content: Uint8Array) => Promise<string[]>;
}

/** What is drawn or removed at the lower edge of a page, of its height, and what letters may reach out of it, in points. */
const [STRIP, LINE] = [0.1, 15];
const MARK = 'MARKED';
const OWNER = 'foreign';
const PASSWORD = 'u';
const DEADLINE_MS = 600_000;

const toPart = (content: Uint8Array, password?: string): AssemblyOrder['parts'][number] => {
  return { content, title: undefined, pages: undefined, password, isOwn: false, dropsSignatures: true };
};

/** A green page with a word. The page is shown in the lower strip of others, as its size is a tenth of the shorter side. */
const MARK_PDF = smallPdf([{ content: `0 1 0 rg 0 0 100 100 re f 0 g BT /F 20 Tf 10 40 Td (${MARK}) Tj ET`, size: [100, 100] }]);

/** By their names. */
export async function trialsOf(source: Source, assembly: UploadAssembly, reading: Reading): Promise<Record<string, Trial>> {
  return {
    ...pageTrials(source),
    ...drawingTrials(source),
    ...contentTrials(source, reading),
    ...endTrials(source),
    decrypt: { order: { parts: [toPart(await reading.encrypt(source.content, PASSWORD), PASSWORD)], steps: [] } },
    ...(await fillTrial(source, assembly)),
    sign: await signTrial(source, assembly, reading),
  };
}

function orderOf({ content }: Source, ...steps: Step[]): Omit<AssemblyOrder, 'maxBytes'> {
  return { parts: [toPart(content)], steps: steps.map((step, number) => ({ number, step })) };
}

function pageTrials(source: Source): Record<string, Trial> {
  const all = source.words.map((_, index) => index);
  const part = toPart(source.content);
  const backward = all.toReversed();
  const pages = backward.map((index) => index + 1).join(',');
  return {
    'written again': { order: { parts: [{ ...part, pages: '1-' }], steps: [] } },
    merge: { order: { parts: [part, part], steps: [] }, pages: [[...all, ...all]] },
    select: { order: orderOf(source, { select: { pages } }), pages: [backward] },
    rotate: {
      order: orderOf(source, { rotate: { pages: undefined, angle: 90 } }, { rotate: { pages: undefined, angle: 270 } }),
    },
    compose: { order: orderOf(source, { compose: { perSheet: 2, isBooklet: false } }), isLaidOut: true, mayDrop: true },
    split: { order: { ...orderOf(source), split: { number: 0, step: { every: 1 } } }, pages: all.map((index) => [index]) },
  };
}

function drawingTrials(source: Source): Record<string, Trial> {
  const place = { position: 'bottom' as const, offset: { x: 0, y: 0 }, rotate: 0, scale: undefined, fit: STRIP };
  const mark = { ...place, source: MARK_PDF, isForeign: true, sourcePages: [], pages: undefined, opacity: 0.5 };
  const letterhead = smallPdf(
    source.pictures.map(({ width, height }) => {
      const size: [number, number] = [width, height];
      return { content: `0 1 0 rg 0 0 ${width} ${height * STRIP} re f 0 g BT /F 5 Tf 2 2 Td (${MARK}) Tj ET`, size };
    }),
  );
  const marked = { changed: source.pictures.map((page) => [lowerStrip(page, LINE)]), added: MARK };
  return {
    stamp: { order: orderOf(source, { draw: { ...mark, layer: 'over' } }), ...marked },
    watermark: { order: orderOf(source, { draw: { ...mark, layer: 'under' } }), ...marked },
    letterhead: { order: orderOf(source, { letterhead: { source: letterhead, pages: undefined } }), ...marked },
  };
}

/** `more` is added above it, in points. */
function lowerStrip({ width, height }: { width: number; height: number }, more = 0): Box {
  const strip = height * STRIP + more;
  return { x: 0, y: height - strip, width, height: strip };
}

const TITLE = 'Title of another program';
const FILE = 'n.txt';

function contentTrials(source: Source, reading: Reading): Record<string, Trial> {
  const files = [{ name: FILE, content: Buffer.from('n'), type: undefined, description: undefined, relationship: undefined }];
  const shows = (expected: string, tool: string, ...args: string[]): Pick<Trial, 'check'> => ({
    check: async (_, content) => ((await reading.ask(content, tool, ...args)).includes(expected) ? [] : [`no ${expected}`]),
  });
  return {
    bookmarks: { order: orderOf(source, { bookmarks: { bookmarks: 'parts' } }) },
    metadata: { order: orderOf(source, { metadata: { title: TITLE } as never }), ...shows(TITLE, 'pdfinfo') },
    attach: { order: orderOf(source, { attach: { files } }), ...shows(FILE, 'pdfdetach', '-list') },
    optimize: { order: orderOf(source, { optimize: {} }) },
    flatten: { order: orderOf(source, { flatten: { annotations: false } }) },
    redact: redactTrial(source),
  };
}

function redactTrial(source: Source): Trial {
  const strips = source.pictures.map((page) => lowerStrip(page));
  const boxes = strips.map((strip, index) => ({ ...strip, y: 0, page: index + 1 }));
  const redaction = { texts: [], expressions: [], ignoresCase: false, color: undefined, dropsAttachments: true };
  return {
    order: orderOf(source, { redact: { ...redaction, boxes, isFromBottom: true } as never }),
    changed: source.pictures.map((page) => [lowerStrip(page, LINE)]),
    mayDrop: true,
    emptied: strips.map((strip) => [strip]),
  };
}

function endTrials(source: Source): Record<string, Trial> {
  const order = orderOf(source);
  return {
    encrypt: { order: { ...order, password: { user: PASSWORD, owner: 'o', permissions: undefined } }, password: PASSWORD },
    conform: { order: { ...order, conform: { number: 0, step: { profiles: ['PDF/A-2b'] } } }, mayRefuse: true, mayDrop: true },
    extract: {
      order: { ...order, extract: { number: 0, step: { what: EXTRACTED } } },
      pages: [],
      mayDrop: true,
      check: async ({ extracted }) => compareTexts(JSON.parse(Buffer.from(extracted ?? []).toString()), source),
    },
  };
}

/** Poppler leaves out text beyond the edges of pages, and takes the values of fields for text. */
function compareTexts({ pages, fields = [] }: Extracted, { words }: Source): string[] {
  const expected = countLetters(words.flat().map(({ text }) => text));
  const texts = pages.map(({ text = '' }) => text);
  const actual = countLetters([...texts, ...fields.map(({ value }) => String(value ?? ''))]);
  const missing = [...expected].filter(([letter, count]) => (actual.get(letter) ?? 0) < count);
  const more = [...countLetters(texts)].filter(([letter, count]) => (expected.get(letter) ?? 0) < count);
  const isBeyond = pages.some(({ width, height, lines = [] }) =>
    lines.some(({ x, y, ...line }) => x < 0 || y < 0 || x + line.width > width || y + line.height > height),
  );
  return [
    ...(missing.length ? [`poppler finds more of ${missing.map(([letter]) => letter).join(' ')}`] : []),
    ...(more.length && !isBeyond ? [`poppler finds less of ${more.map(([letter]) => letter).join(' ')}`] : []),
  ];
}

/** Programs disagree on the order of texts, on spaces, and on glyphs that are no characters. */
function countLetters(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const letter of texts
    .join('')
    .normalize('NFKC')
    .replace(/[\s\p{Bidi_Control}\ufffc]/gu, ''))
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return counts;
}

const FILLED = 'FILLED';

/** Nothing for a PDF without text fields and boxes. */
async function fillTrial(source: Source, assembly: UploadAssembly): Promise<Record<string, Trial>> {
  const { pdf } = await openForeign(source.content);
  const fields = pdf.getForm()?.getFields() ?? [];
  const [texts, boxes] = [fields.filter(({ type }) => type === 'text'), fields.filter(({ type }) => type === 'checkbox')];
  if (!texts.length && !boxes.length) return {};
  const values = {
    ...Object.fromEntries(texts.map(({ name }) => [name, FILLED])),
    ...Object.fromEntries(boxes.map(({ name }) => [name, true])),
  };
  const changed = await widgetBoxes(source.content);
  const check = async (_: Assembled, content: Uint8Array) => {
    const order = orderOf({ ...source, content });
    const { extracted } = await assembly.assemble(OWNER, { ...order, extract: { number: 0, step: { what: ['fields'] } } });
    const { fields: read = [] } = JSON.parse(Buffer.from(extracted ?? []).toString()) as Extracted;
    const wrong = read.filter(({ name, type, value }) => type === 'text' && value !== FILLED && name in values);
    return wrong.map(({ name }) => `the field ${name} is not filled`);
  };
  const filling = { order: orderOf(source, { fill: { fields: values } }), changed, emptied: changed, check };
  return { fill: { ...filling, added: texts.map(() => FILLED) } };
}

async function openForeign(content: Uint8Array): Promise<ForeignPdf> {
  return new ForeignPdf(await PDF.load(content));
}

/** Where fields are, on each page. */
async function widgetBoxes(content: Uint8Array): Promise<Box[][]> {
  const pdf = await openForeign(content);
  return pdf.pages().map(({ page }) => {
    const view = pageView(pdf, page);
    const widgets = pdf.list(page, 'Annots').map((each) => pdf.asDict(each));
    return widgets.flatMap((widget) => {
      if (pdf.name(widget, 'Subtype') !== 'Widget') return [];
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = numbersOf(pdf, widget);
      const [left, top] = toShown(view, Math.min(x1, x2), Math.max(y1, y2));
      const [right, bottom] = toShown(view, Math.max(x1, x2), Math.min(y1, y2));
      const [x, y] = [Math.min(left, right) - 1, Math.min(top, bottom) - 1];
      return [{ x, y, width: Math.abs(right - left) + 2, height: Math.abs(bottom - top) + 2 }];
    });
  });
}

function numbersOf(pdf: ForeignPdf, widget: PdfDict | undefined): number[] {
  return pdf.list(widget, 'Rect').map((each) => {
    const side = pdf.resolve(each);
    return side instanceof PdfNumber ? side.value : 0;
  });
}

const issued = issue('Foreign');

async function signTrial(source: Source, assembly: UploadAssembly, reading: Reading): Promise<Trial> {
  const { key, der } = await issued;
  const signer = { facts: { keyType: 'EC P-256' }, key: key.export({ type: 'pkcs8', format: 'der' }), chain: [der] };
  const field = {
    ...{ description: 's', name: 'S', reason: undefined, location: undefined, contact: undefined, signedAt: Date.now() },
    ...{ reservedBytes: 9_000, digest: 'sha256' as const, visible: undefined },
  };
  return {
    async finish(content) {
      using deadline = new Deadline(DEADLINE_MS);
      const { file, hole } = await assembly.addSignatureField(OWNER, { content, field });
      const signing = { key: signer, plan: { level: 'B-B' } } as unknown as Signing;
      return Buffer.concat(await completeSignature([Buffer.from(file)], hole, signing, {} as never, { owner: OWNER, deadline }));
    },
    check: async (_, content) => {
      const isKept =
        isProtected(source.content) || Buffer.from(source.content).equals(content.subarray(0, source.content.length));
      const isValid = (await reading.ask(content, 'pdfsig', '-nocert')).includes('Signature is Valid');
      return [...(isKept || source.faults ? [] : ['its bytes have changed']), ...(isValid ? [] : ['the signature is not valid'])];
    },
  };
}
