/** Puts a PDF together: parts and steps in, one PDF or several out. It runs in a process of its own, because parts are untrusted. */
import { randomBytes } from 'node:crypto';
import { type FieldError, ServiceError } from '../../errors.ts';
import { hasHiddenLayers } from '../edit/embedded-layers.ts';
import { toLetterhead } from '../edit/letterhead.ts';
import type { Letterhead, Password } from '../finish-settings.ts';
import type { PrintTexts } from '../forms/widget-texts.ts';
import { mergedTooLarge } from '../merge/merge.ts';
import type { Dropped } from '../merge/merge-catalog.ts';
import { DeterministicRandom } from '../objects/deterministic-random.ts';
import { type Encryption, encrypt } from '../objects/encrypt.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { writeInPieces, writeWithObjectStreams } from '../objects/object-streams.ts';
import { type Parts, writePlain } from '../objects/write.ts';
import { withdrawClaims } from './claims.ts';
import type { ConformStep } from './conform.ts';
import { type ExtractStep, extract } from './extract.ts';
import { type AssembledFile, copyOf, type OpenDocument, type PagePlace, reopen, StepError } from './open-document.ts';
import { type AssemblyPart, openParts, type PartChecks, PartError, type PartStore } from './open-parts.ts';
import { divide, type PartWriter, type SplitStep } from './split.ts';
import { firstPlace, runStep, type Step, stepPath } from './steps.ts';

export interface AssemblyOrder {
  parts: AssemblyPart[];
  /** With their numbers in the request. */
  steps: Array<{ number: number; step: Step }>;
  /** What becomes of the whole. At most one of them is there. */
  split?: { number: number; step: SplitStep } | undefined;
  extract?: { number: number; step: ExtractStep } | undefined;
  conform?: { number: number; step: ConformStep } | undefined;
  password?: Password | undefined;
  isLetterhead?: boolean | undefined;
  maxBytes: number;
  /** Whether there is a browser that prints texts of form fields. */
  prints?: boolean | undefined;
  /** Where the pages of the only part come from, if it is the result of earlier steps. */
  places?: PagePlace[] | undefined;
}

export interface Assembled {
  files: AssembledFile[];
  places: PagePlace[];
  dropped: Dropped[];
  /** Pages that cut off the text of a step. */
  cut: Array<{ step: number; pages: number[] }>;
  /** What a PDF holds, as JSON. It follows what the store keeps. */
  extracted?: Uint8Array | undefined;
  letterhead?: Letterhead | undefined;
  /** Set if the store may keep a part of the only file, which belongs after so many bytes. */
  headerBytes?: number;
}

/** What the service does for an assembly. */
export interface AssemblyHelpers {
  /** Is told which part or step is worked on. */
  note?(at: string): void;
  /** Without it, texts that no font of a form can show are refused. */
  print?: PrintTexts;
}

/** Where in the request the work has come to. */
class Progress {
  at: string;
  readonly #note: PartChecks['note'];

  constructor(at: string, note: PartChecks['note']) {
    this.at = at;
    this.#note = note;
  }

  async enter(at: string): Promise<void> {
    this.at = at;
    await this.#note?.(at);
  }
}

export async function assemble(order: AssemblyOrder, checks: PartChecks): Promise<Assembled | { faults: FieldError[] }> {
  const progress = new Progress(firstPlace(order), checks.note);
  try {
    return await assembleParts(order, checks, progress);
  } catch (error) {
    if (error instanceof ServiceError) throw error.reword(`${progress.at}: ${error.message}`);
    return { faults: toFaults(error, progress.at) };
  }
}

/** What is wrong with the request. */
function toFaults(error: unknown, at: string): FieldError[] {
  if (error instanceof PartError) return [{ path: join(`parts[${error.index}]`, error.field), message: error.message }];
  if (error instanceof StepError)
    return [error, ...error.others].map(({ field, message }) => ({ path: join(at, field), message }));
  const isStep = at.startsWith('steps');
  return [{ path: at, message: isStep ? 'is not possible, because the PDF cannot be read in full' : 'cannot be read in full' }];
}

function join(...names: string[]): string {
  return names.filter(Boolean).join('.');
}

async function assembleParts(order: AssemblyOrder, checks: PartChecks, progress: Progress): Promise<Assembled> {
  const { steps, password, maxBytes } = order;
  const conformant = await findConformant(order, checks);
  if (conformant) return { files: [conformant], places: order.places ?? [], dropped: [], cut: [] };
  const isLast = !steps.length && !order.split && !order.extract && !password && !order.conform && !order.isLetterhead;
  const { pdf, ...opened } = await openParts(order.parts, checks, { maxBytes, isLast });
  const places = order.places ?? opened.places;
  if ('headerBytes' in pdf) {
    const { content, headerBytes } = pdf;
    return { ...opened, files: [{ content, pages: places.length }], places, cut: [], headerBytes };
  }
  const cut: Assembled['cut'] = [];
  const document: OpenDocument = {
    ...opened,
    pdf,
    places,
    cut: [],
    renew: checks.renew,
    check: checks.before,
    print: checks.print,
  };
  for (const { number, step } of steps) {
    await progress.enter(stepPath(number, step));
    await runStep(document, step);
    if (document.cut.length) cut.push({ step: number, pages: document.cut.splice(0) });
  }
  if (password) withdrawClaims(document, 'encrypt');
  if (order.isLetterhead) return { files: [], places: [], dropped: [], cut, letterhead: await prepare(document, maxBytes) };
  if (order.conform) {
    await progress.enter(`steps[${order.conform.number}].conform`);
    await finishConformant(document, order.conform);
  }
  const outcome = await finish(document, order, checks.store, progress);
  return { ...outcome, places: document.places, dropped: document.dropped, cut };
}

async function prepare(document: OpenDocument, maxBytes: number): Promise<Letterhead> {
  const source = await copyOf(document);
  if (hasHiddenLayers(source)) throw new PartError(0, '', 'has hidden layers, which would be shown');
  const letterhead = await toLetterhead(source);
  if (letterhead.bytes > maxBytes) throw mergedTooLarge(maxBytes);
  return letterhead;
}

type Conforming = NonNullable<AssemblyOrder['conform']>;

/** Only what needs the validator loads it. */
const loadConform = () => import('./conform.ts');

/** A single PDF that conforms as it is stays as it is. */
async function findConformant({ parts, steps, split, conform: wanted }: AssemblyOrder, checks: PartChecks) {
  const [only, ...more] = parts;
  if (!wanted || split || !only || more.length || steps.length || only.pages !== undefined || only.password !== undefined)
    return undefined;
  const { alreadyConformant } = await loadConform();
  const found = await alreadyConformant(only.content, wanted.step);
  checks.renew();
  return found;
}

/** The PDF conforms only as it was written. Throws `not_conformant`. */
async function finishConformant(document: OpenDocument, { step }: Conforming): Promise<void> {
  const { conform, requireConformance } = await loadConform();
  conform(document, step);
  const written = toFileParts(document.pdf).join();
  document.renew();
  await requireConformance(written, step);
  document.renew();
}

async function finish(
  document: OpenDocument,
  order: AssemblyOrder,
  store: PartStore | undefined,
  progress: Progress,
): Promise<Pick<Assembled, 'files' | 'extracted' | 'headerBytes'>> {
  const { split, extract: wanted, maxBytes } = order;
  if (wanted) {
    await progress.enter(`steps[${wanted.number}].extract`);
    await reopen(document);
    return { files: [], extracted: await extract(document.pdf, wanted.step, document.dropped, { maxBytes, keep: store?.keep }) };
  }
  if (!split) return writeOnly(document.pdf, order, store);
  await progress.enter(`steps[${split.number}].split`);
  return { files: await divide(document.pdf, split.step, partWriter(order), document.dropped) };
}

function partWriter(order: AssemblyOrder): PartWriter {
  const { conform: wanted, maxBytes } = order;
  let bytes = 0;
  return {
    write: (part) => toFileParts(part, protect(part, order)),
    async keep(written, pages) {
      bytes += written.length;
      if (bytes > maxBytes) throw mergedTooLarge(maxBytes);
      const content = written.join();
      if (wanted) await (await loadConform()).requireConformance(content, wanted.step);
      return { content, pages };
    },
  };
}

const ID_BYTES = 16;

/** PDF 1.4 knows no object streams. The store keeps what is written of others. */
async function writeOnly(pdf: ForeignPdf, order: AssemblyOrder, store: PartStore | undefined) {
  if (!store || pdf.version === '1.4') return { files: [await write(pdf, order)] };
  const parts = await writeInPieces(pdf, protect(pdf, order), (bytes) => store.keep(bytes));
  if (parts.length > order.maxBytes) throw mergedTooLarge(order.maxBytes);
  return { files: [{ content: parts.join(), pages: pdf.pages().length }], headerBytes: parts.headerBytes };
}

function protect({ catalog }: ForeignPdf, { password }: Pick<AssemblyOrder, 'password'>): Encryption | undefined {
  return password && encrypt(catalog, password, new DeterministicRandom(randomBytes(32), randomBytes(ID_BYTES)));
}

async function write(pdf: ForeignPdf, order: Pick<AssemblyOrder, 'password' | 'maxBytes'>): Promise<AssembledFile> {
  const parts = toFileParts(pdf, protect(pdf, order));
  if (parts.length > order.maxBytes) throw mergedTooLarge(order.maxBytes);
  return { content: parts.join(), pages: pdf.pages().length };
}

function toFileParts(pdf: ForeignPdf, protection?: Encryption): Parts {
  return pdf.version === '1.4' ? writePlain(pdf) : writeWithObjectStreams(pdf, protection);
}
