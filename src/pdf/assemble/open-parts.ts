/** Opens the parts of an assembly, and joins several to one PDF. */
import { PDF, PdfDict, PdfNull, PdfRef } from '@libpdf/core';
import { attach } from '../edit/attachments.ts';
import { MergedFile } from '../edit/merge.ts';
import { readPartFacts } from '../edit/merge-claims.ts';
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';
import { isEncrypted } from '../objects/cross-reference.ts';
import { ForeignPdf } from '../objects/foreign-pdf.ts';
import { hasSignature } from '../security/signature-field.ts';
import { readFiles, withUniqueNames } from './files.ts';
import { type OpenDocument, type PagePlace, StepError } from './open-document.ts';
import { readLabels, writeLabels } from './page-labels.ts';
import { chosenPages } from './page-steps.ts';
import { selectPages } from './select-pages.ts';

export interface AssemblyPart {
  content: Uint8Array;
  /** Undefined for its own, or for its number. */
  title: string | undefined;
  pages: string | undefined;
  password: string | undefined;
  /** Whether Platen made it, so that what it claims is known to hold. */
  isOwn: boolean;
  /** Whether signatures may be removed, which would break. */
  dropsSignatures: boolean;
}

const MAX_TITLE = 1_000;

/** A part that cannot be used. */
export class PartError extends Error {
  override name = 'PartError';
  readonly index: number;
  readonly field: string;

  /** `message` is a predicate such as `is protected by a password`. */
  constructor(index: number, field: string, message: string) {
    super(message);
    this.index = index;
    this.field = field;
  }
}

/** `check` is called for the content of each part, and for each part when it has been read; it throws if the part is damaged. */
export interface PartChecks {
  before(content: Uint8Array): void;
  after(): void;
}

/** Throws `PartError`, and `resource_limit` if the whole is larger than `maxBytes`. */
export async function openParts(parts: readonly AssemblyPart[], maxBytes: number, checks: PartChecks): Promise<OpenDocument> {
  const document: Omit<OpenDocument, 'pdf'> = { places: [], dropped: [] };
  const opened = [];
  for (const [index, part] of parts.entries()) opened.push(await openPart(part, index, document, checks));
  const [only] = opened;
  const pdf = opened.length > 1 || !only ? await join(opened, parts, document.places, maxBytes) : only;
  return { ...document, pdf };
}

async function openPart(
  part: AssemblyPart,
  index: number,
  document: Omit<OpenDocument, 'pdf'>,
  checks: PartChecks,
): Promise<ForeignPdf> {
  const pdf = await load(part, index, checks);
  if (hasSignature(pdf.pdf)) {
    if (!part.dropsSignatures)
      throw new PartError(index, '', 'is signed, and a change would break its signature; with drop_signatures it is removed');
    removeSignatures(pdf);
    document.dropped.push({ what: 'signatures', why: 'a change would have broken them', part: index });
  }
  const chosen = choose(part, index, pdf);
  try {
    selectPages(pdf, chosen);
    checks.after();
  } catch (error) {
    throw damaged(index, error);
  }
  const title = part.title ?? (pdf.text(pdf.asDict(pdf.info), 'Title').slice(0, MAX_TITLE) || String(index + 1));
  const places = chosen.map((_, number): PagePlace => ({ part: index, page: number + 1, pages: chosen.length, title }));
  document.places.push(...places);
  return pdf;
}

async function load({ content, password }: AssemblyPart, index: number, checks: PartChecks): Promise<ForeignPdf> {
  try {
    checks.before(content);
    const pdf = await PDF.load(content, password === undefined ? {} : { credentials: password });
    if (!pdf.isEncrypted || pdf.isAuthenticated) return new ForeignPdf(pdf);
  } catch (error) {
    if (!isProtected(content)) throw damaged(index, error);
  }
  if (password === undefined) throw new PartError(index, 'password', 'is required: the PDF is protected by a password');
  throw new PartError(index, 'password', 'does not open the PDF');
}

function isProtected({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  try {
    return isEncrypted(new ChunkedBuffer([Buffer.from(buffer, byteOffset, byteLength)]));
  } catch {
    return false; // the file has no valid `startxref` at its end
  }
}

function damaged(index: number, error: unknown): Error {
  if (error instanceof PartError || (error as Error).name === 'ServiceError') return error as Error;
  return new PartError(index, '', 'is damaged, or not a PDF');
}

function choose({ pages }: AssemblyPart, index: number, pdf: ForeignPdf): number[] {
  let count: number;
  try {
    count = pdf.pages().length;
    if (!count) throw new Error('the PDF has no pages');
  } catch (error) {
    throw damaged(index, error);
  }
  try {
    return chosenPages(pages, count);
  } catch (error) {
    throw error instanceof StepError ? new PartError(index, error.field, error.message) : error;
  }
}

/** Signed fields become empty ones. */
function removeSignatures(pdf: ForeignPdf): void {
  const form = pdf.dict(pdf.catalog, 'AcroForm');
  const waiting = [...pdf.list(form, 'Fields')];
  for (let ref = waiting.pop(); ref; ref = waiting.pop()) {
    const field = pdf.asDict(ref);
    waiting.push(...pdf.list(field, 'Kids'));
    if (pdf.name(field, 'FT') !== 'Sig' || !(ref instanceof PdfRef)) continue;
    const value = field?.get('V');
    if (value instanceof PdfRef) pdf.change(value, PdfNull.instance);
    pdf.update(ref, { V: PdfNull.instance, AP: new PdfDict() });
  }
  const empty = form?.clone() ?? new PdfDict();
  empty.delete('SigFlags');
  if (form) pdf.catalog.set('AcroForm', empty);
  pdf.catalog.delete('Perms');
  pdf.catalog.delete('DSS');
}

async function join(
  opened: readonly ForeignPdf[],
  parts: readonly AssemblyPart[],
  places: readonly PagePlace[],
  maxBytes: number,
): Promise<ForeignPdf> {
  const merged = new MergedFile(maxBytes);
  for (const [index, { pdf }] of opened.entries()) {
    const { isOwn } = parts[index] as AssemblyPart;
    const { title = '' } = places.find(({ part }) => part === index) ?? {};
    try {
      merged.add(pdf, title, new Map(), ...(isOwn ? [readPartFacts(pdf)] : []));
    } catch (error) {
      throw damaged(index, error);
    }
  }
  const joined = new ForeignPdf(await PDF.load(merged.end().join()));
  attach(joined, withUniqueNames(opened.flatMap(readFiles)));
  const labels = opened.map((pdf) => readLabels(pdf) ?? pdf.pages().map(() => undefined));
  if (labels.some((each) => each.some(Boolean))) writeLabels(joined, labels.flat());
  return joined;
}
