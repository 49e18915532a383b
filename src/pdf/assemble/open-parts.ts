/** Opens the parts of an assembly, and joins several to one PDF. */
import { PDF, PdfDict, PdfNull, PdfRef } from '@libpdf/core';
import { type AssociatedFile, attach } from '../edit/attachments.ts';
import { type PageLabel, readLabels, writeLabels } from '../edit/page-labels.ts';
import { readPartFacts } from '../edit/read-facts.ts';
import type { PrintTexts } from '../forms/widget-texts.ts';
import { MergedFile, mergedTooLarge } from '../merge/merge.ts';
import { MergedCatalog } from '../merge/merge-catalog.ts';
import { lostClaims } from '../merge/merge-claims.ts';
import { isProtected } from '../objects/cross-reference.ts';
import { ForeignPdf } from '../objects/foreign-pdf.ts';
import { putBack, type WithoutBody } from '../objects/write.ts';
import { hasSignature } from '../security/signature-field.ts';
import { isRepeated } from '../select/repeated.ts';
import { selectPages } from '../select/select-pages.ts';
import { readFiles, withUniqueNames } from './files.ts';
import { type OpenDocument, type PagePlace, StepError } from './open-document.ts';
import { chosenPages } from './page-steps.ts';

export interface AssemblyPart {
  content: Uint8Array;
  /** Undefined for its own, or for its number. */
  title: string | undefined;
  /** The title of a part that has none of its own. */
  fallbackTitle?: string | undefined;
  pages: string | undefined;
  password: string | undefined;
  /** Whether Platen made it, so that what it claims is known to hold. */
  isOwn: boolean;
  /** Whether signatures may be removed, which would break. */
  dropsSignatures: boolean;
  /** Whether it is meant to lose its protection. */
  decrypts?: boolean;
  /** Whether it is only read, so that nothing is lost. */
  isRead?: boolean;
}

const MAX_TITLE = 1_000;

export const LOST_PROTECTION = { what: 'protection', why: 'passwords and restrictions hold only for the PDF as it was' };

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

export interface PartChecks {
  /** Is called for the content of each part. Throws if the part is damaged. */
  before(content: Uint8Array): void;
  /** Is called when a part has been read. Throws if the part is damaged. */
  after(): void;
  /** Is called before a PDF is read that was written here. */
  renew(): void;
  /** Is called when a step begins, with its place in the request. */
  note?(at: string): Promise<void>;
  /** Prints texts of form fields. Undefined without a browser. */
  print?: PrintTexts | undefined;
  /** Brings the content of one of several parts, and keeps what is written of them elsewhere. Without it, all is in memory. */
  store?: PartStore | undefined;
}

export interface PartStore {
  readPart(index: number): Promise<Uint8Array>;
  /** Keeps bytes of the whole, which follow those before. */
  keep(bytes: Uint8Array): Promise<void>;
  /** Returns what is kept, and keeps it no longer. */
  takeBack(): Promise<Uint8Array>;
}

type Found = Pick<OpenDocument, 'places' | 'dropped'>;

/** The parts as one PDF: open, or as it was written if nothing is left to do, without what the store keeps. */
interface OpenedParts extends Found {
  pdf: ForeignPdf | WithoutBody;
}

/** Throws `PartError`, and `resource_limit` if the whole is larger than `maxBytes`. */
export async function openParts(
  parts: readonly AssemblyPart[],
  checks: PartChecks,
  { maxBytes, isLast }: { maxBytes: number /** Whether nothing is done with the whole. */; isLast: boolean },
): Promise<OpenedParts> {
  const document: Found = { places: [], dropped: [] };
  const [only, ...more] = parts;
  if (only && !more.length) return { ...document, pdf: await openPart(only, 0, document, checks) };
  const { written, files, labels } = await join(parts, document, checks, maxBytes, isLast);
  const hasLabels = labels.some(Boolean);
  if (isLast && !files.length && !hasLabels) return { ...document, pdf: written };
  checks.renew();
  const pdf = new ForeignPdf(await PDF.load(await whole(written, checks.store)));
  attach(pdf, withUniqueNames(files));
  if (hasLabels) writeLabels(pdf, labels);
  return { ...document, pdf };
}

async function keepWritten(merged: MergedFile, store: PartStore | undefined): Promise<void> {
  const written = store && merged.takeWritten();
  if (written) await store.keep(written);
}

async function whole(written: WithoutBody, store: PartStore | undefined): Promise<Uint8Array> {
  const kept = await store?.takeBack();
  return kept?.length ? putBack(written, [kept]) : written.content;
}

async function openPart(part: AssemblyPart, index: number, document: Found, checks: PartChecks): Promise<ForeignPdf> {
  const pdf = await load(part, index, checks);
  if (!part.isRead && hasSignature(pdf.pdf)) {
    if (!part.dropsSignatures)
      throw new PartError(index, '', 'is signed, and a change would break its signature; with drop_signatures it is removed');
    removeSignatures(pdf);
    document.dropped.push({ what: 'signatures', why: 'a change would have broken them', part: index });
  }
  if (!part.isRead && !part.decrypts && pdf.pdf.isEncrypted) document.dropped.push({ ...LOST_PROTECTION, part: index });
  const chosen = choose(part, index, pdf);
  try {
    const lost = selectPages(pdf, chosen);
    document.dropped.push(...lost.map((each) => ({ ...each, part: index })));
    checks.after();
  } catch (error) {
    throw damaged(index, error);
  }
  const ownTitle = pdf.text(pdf.asDict(pdf.info), 'Title').slice(0, MAX_TITLE);
  const title = part.title ?? (ownTitle || (part.fallbackTitle ?? String(index + 1)));
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
  if (password === undefined) throw new PartError(index, '', 'is protected by a password: send it as password');
  throw new PartError(index, 'password', 'does not open the PDF');
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
  const seen = new Set<number>();
  for (let ref = waiting.pop(); ref; ref = waiting.pop()) {
    if (isRepeated(seen, ref)) continue;
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

/** What is joined of the parts, and what is added to the whole afterwards. */
interface Joined {
  written: WithoutBody;
  files: AssociatedFile[];
  labels: Array<PageLabel | undefined>;
}

/** Opens one part after the other, so that only one is in memory. `keeps` tells whether a store keeps what is written. */
async function join(
  parts: readonly AssemblyPart[],
  document: Found,
  checks: PartChecks,
  maxBytes: number,
  keeps: boolean,
): Promise<Joined> {
  const catalog = new MergedCatalog();
  const merged = new MergedFile(maxBytes, catalog);
  const [files, labels]: [AssociatedFile[], Joined['labels']] = [[], []];
  const claimed: Parameters<typeof lostClaims>[0][number][] = [];
  for (const [index, part] of parts.entries()) {
    const content = await checks.store?.readPart(index);
    const pdf = await openPart(content ? { ...part, content } : part, index, document, checks);
    files.push(...readFiles(pdf, document.dropped, index));
    labels.push(...(readLabels(pdf) ?? pdf.pages().map(() => undefined)));
    const { title = '' } = document.places.at(-1) ?? {};
    try {
      const facts = readPartFacts(pdf.pdf);
      claimed.push({ claims: facts.claims, isTrusted: part.isOwn });
      merged.add(pdf.pdf, title, new Map(), ...(part.isOwn ? [facts] : []));
    } catch (error) {
      throw damaged(index, error);
    }
    if (keeps) await keepWritten(merged, checks.store);
  }
  const file = merged.end();
  document.dropped.push(...catalog.lost, ...lostClaims(claimed, merged.claims));
  if (file.length > maxBytes) throw mergedTooLarge(maxBytes);
  return { written: { content: file.join(), headerBytes: file.headerBytes }, files, labels };
}
