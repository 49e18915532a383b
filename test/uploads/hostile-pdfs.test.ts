/**
 * PDFs that are meant to do harm, in everything that reads PDFs of others: each ends with a result that can be opened or an error that says
 * what is wrong, in limited time and memory, and the next PDF is read as if nothing had happened.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import type { AssemblyOrder } from '../../src/pdf/assemble/assemble.ts';
import { EXTRACTED } from '../../src/pdf/assemble/extract.ts';
import type { Step } from '../../src/pdf/assemble/steps.ts';
import { FILLING } from '../../src/pdf/edit/embedded-page.ts';
import { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { PdfComparison } from '../../src/uploads/compare/compare-pdfs.ts';
import { PageDrawing } from '../../src/uploads/draw-pages.ts';
import { UploadValidation } from '../../src/uploads/validate-uploads.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { HOSTILE_PDFS } from '../support/hostile-pdfs.ts';
import { smallPdf } from '../support/small-pdf.ts';

/** The time of one task, after which its process is killed. */
const LIMITS = { timeoutMs: 10_000 };
const MAX_PDF_BYTES = 20_000_000;
/** What a process may take beside its heap: WebAssembly, and twice what is decompressed. */
const MAX_PROCESS_MB = 2_000;

const assembly = closeAfterAll(new UploadAssembly({ ...LIMITS, maxPdfBytes: MAX_PDF_BYTES, maxUnpackedBytes: 50_000_000 }));
const validation = closeAfterAll(new UploadValidation({ ...LIMITS, maxUnpackedBytes: 50_000_000 }));
const comparison = closeAfterAll(new PdfComparison(LIMITS));
const drawing = closeAfterAll(new PageDrawing(LIMITS));

/** Every second kind, unless `PLATEN_TEST_HOSTILE_PDFS` is `all`: all of them take minutes. */
const KINDS = process.env.PLATEN_TEST_HOSTILE_PDFS === 'all' ? HOSTILE_PDFS : HOSTILE_PDFS.filter((_, n) => n % 2 === 0);

const GOOD = smallPdf([{ content: 'BT /F 12 Tf 20 20 Td (good) Tj ET' }]);
const KNOWN = [
  'invalid_request',
  'resource_limit',
  'not_conformant',
  'document_protected',
  'pdf_unreadable',
  'not_found',
  'print_failed',
];

const toPart = (content: Uint8Array): AssemblyOrder['parts'][number] => {
  return { content, title: undefined, pages: undefined, password: undefined, isOwn: false, dropsSignatures: true };
};
const draw = (source: Uint8Array, layer: 'over' | 'under'): Step => {
  return { draw: { ...FILLING, source, isForeign: true, sourcePages: [], pages: undefined, layer, opacity: 0.5 } };
};
const numbered = (...steps: Step[]) => steps.map((step, number) => ({ number, step }));
const REDACTION = { texts: ['hidden'], expressions: [], ignoresCase: false, boxes: [], color: undefined, dropsAttachments: true };
const SIGNATURE = {
  ...{ description: 's', name: 'S', reason: undefined, location: undefined, contact: undefined, signedAt: 0 },
  ...{ reservedBytes: 9_000, digest: 'sha256' as const, visible: undefined },
};

type Order = Omit<AssemblyOrder, 'maxBytes'>;

/** What is done with a hostile PDF, by a name for messages. */
const orders = (hostile: Uint8Array): Record<string, Order> => {
  const parts = [toPart(hostile)];
  const files = [{ name: 'n', content: Buffer.from('n'), type: undefined, description: undefined, relationship: undefined }];
  const changes = numbered(
    { rotate: { pages: undefined, angle: 90 } },
    ...[draw(GOOD, 'over'), draw(GOOD, 'under')],
    { bookmarks: { bookmarks: 'parts' } },
    { attach: { files } },
    { select: { pages: 'last' } },
  );
  return {
    merged: { parts: [toPart(GOOD), ...parts, toPart(GOOD)], steps: [] },
    changed: { parts, steps: changes },
    'as a letterhead': { parts: [toPart(GOOD)], steps: numbered({ letterhead: { source: hostile, pages: undefined } }) },
    'as the letterhead of prints': { parts, steps: [], isLetterhead: true },
    flattened: { parts, steps: numbered({ flatten: { annotations: true } }) },
    composed: { parts, steps: numbered({ compose: { perSheet: 2, isBooklet: true } }, { optimize: { quality: 50 } }) },
    redacted: { parts, steps: numbered({ redact: REDACTION }) },
    split: { parts, steps: [], split: { number: 0, step: { at: 'bookmarks' } } },
    extracted: { parts, steps: [], extract: { number: 0, step: { what: EXTRACTED } } },
    conformant: { parts, steps: [], conform: { number: 0, step: { profiles: ['PDF/A-2b'] } } },
  };
};

/** Undefined for an error that says what is wrong. */
async function resultOf<T>(what: string, work: Promise<T>, known = KNOWN): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ServiceError) || !known.includes(error.code))
      throw new Error(`${what} fails: ${(error as Error).message}`, { cause: error });
    const { errors = [] } = error.members as { errors?: Array<{ path: string }> };
    for (const { path } of errors) expect(path, what).toMatch(/^(?:$|parts|steps\[\d\])/);
    return undefined;
  }
}

/** The largest memory of the processes that this one has started, in MB. */
let largestMb = 0;
let watch: NodeJS.Timeout | undefined;

function measure(): void {
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      if (Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) !== process.pid) continue;
      largestMb = Math.max(largestMb, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024);
    } catch {} // it has ended
  }
}

beforeAll(() => {
  watch = setInterval(measure, 50);
});
afterAll(() => {
  clearInterval(watch);
  expect(largestMb).toBeLessThan(MAX_PROCESS_MB);
});

test('there are at least 83 kinds', () => {
  expect(new Set(KINDS.map(([kind]) => kind)).size).toBeGreaterThanOrEqual(83);
});

/** Every PDF that is made of the hostile one can be opened, with its pages. Returns all that was made. */
async function assembleAll(hostile: Uint8Array): Promise<Buffer[]> {
  const made: Buffer[] = [];
  for (const [what, order] of Object.entries(orders(hostile))) {
    const { files = [], extracted } = (await resultOf(what, assembly.assemble('eve', order))) ?? {};
    for (const { content, pages } of files) expect([undefined, pages], what).toContain(await countPages(what, content));
    if (extracted) JSON.parse(Buffer.from(extracted).toString());
    made.push(...files.map(({ content }) => Buffer.from(content)), ...(extracted ? [Buffer.from(extracted)] : []));
  }
  return made;
}

/** Undefined if the PDF cannot be read again with the limits of time and memory. */
async function countPages(what: string, content: Uint8Array): Promise<number | undefined> {
  const opened = assembly.assemble('ada', { parts: [toPart(content)], steps: [] });
  return (await resultOf(`${what}, read again`, opened, ['resource_limit']))?.files[0]?.pages;
}

test.each(KINDS)('%s', async (_, make) => {
  const hostile = make();
  const made = await assembleAll(hostile);
  expect(made.some((each) => each.includes('root:x:'))).toBe(false);
  await resultOf('validated', validation.validate('eve', hostile, ['PDF/A-2b', 'PDF/UA-1']));
  await resultOf('compared', comparison.compare('eve', { before: hostile, after: GOOD }));
  const longer = Buffer.concat([hostile, Buffer.from('\n')]);
  await resultOf('compared with itself', comparison.compare('eve', { before: hostile, after: longer }));
  await resultOf('drawn', drawing.draw('eve', { content: async () => hostile, page: 1, width: 100 }));
  await resultOf('signed', assembly.addSignatureField('eve', { content: hostile, field: SIGNATURE }));
  const { files } = await assembly.assemble('ada', { parts: [toPart(GOOD), toPart(GOOD)], steps: [] });
  expect(files.map(({ pages }) => pages)).toEqual([2]);
});
