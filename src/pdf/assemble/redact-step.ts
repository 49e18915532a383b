/**
 * The step that removes texts and areas, and proves that they are gone: the PDF is written and read again, by our own code and by PDFium,
 * until both find nothing.
 */
import { NO_CLAIMS } from '../conformance/profiles.ts';
import { toFacts } from '../edit/metadata.ts';
import { readPartFacts } from '../edit/read-facts.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { findWithPdfium } from '../redact/prove.ts';
import { type Box, type Redacted, RedactionError, redactPdf } from '../redact/redact.ts';
import { Search, type Wanted } from '../redact/search.ts';
import { pruneForm } from '../select/prune-form.ts';
import { pruneTags } from '../select/prune-tags.ts';
import { writeXmp } from './claims.ts';
import { readInformation } from './information.ts';
import { type OpenDocument, reopen, StepError } from './open-document.ts';

export interface RedactStep extends Wanted {
  /** Pages are counted from 1; -1 is the last one. */
  boxes: Box[];
  /** Whether boxes are measured from the lower edge. */
  isFromBottom?: boolean;
  /** Undefined to paint nothing. */
  color: readonly number[] | undefined;
  dropsAttachments: boolean;
}

const MAX_ROUNDS = 5;

export async function redact(
  document: OpenDocument,
  { color, dropsAttachments, isFromBottom, ...wanted }: RedactStep,
): Promise<void> {
  const search = new Search(wanted);
  const boxes = wanted.boxes.map((box, index) => ({ ...box, page: toIndex(box.page, index, document.places.length) }));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const redacted = await runRound(document, { search, boxes, isFromBottom, color, dropsAttachments, isFirst: round === 0 });
    const written = await reopen(document);
    if (redacted.isChanged) continue;
    document.places = document.places.map((place) => ({ ...place, title: search.remove(place.title) }));
    const page = search.isEmpty ? undefined : await findWithPdfium(written, search);
    if (page === undefined) return;
    throw toStepError(document, new RedactionError(page, 'shows what was to be removed in a way that is not supported'));
  }
  throw new StepError('', 'cannot be carried out: what was removed is still found');
}

function toIndex(page: number, box: number, count: number): number {
  const index = page < 0 ? count - 1 : page - 1;
  if (index >= count)
    throw new StepError(
      `boxes[${box}].page`,
      `names page ${page}, but the document has ${count} ${count === 1 ? 'page' : 'pages'}`,
    );
  return index;
}

async function runRound(document: OpenDocument, redaction: Parameters<typeof redactPdf>[1]): Promise<Redacted> {
  const { pdf } = document;
  try {
    const redacted = await redactPdf(pdf, redaction);
    if (redaction.isFirst && redaction.boxes.length) {
      pruneForm(pdf, new Set());
      pruneTags(pdf, new Set());
    }
    if (redacted.metadata) rewriteMetadata(document, redaction.search);
    noteDropped(document, redacted, redaction.search);
    return redacted;
  } catch (error) {
    throw error instanceof RedactionError ? toStepError(document, error) : error;
  }
}

function toStepError({ places }: OpenDocument, { page, message }: RedactionError): StepError {
  const place = page === undefined ? undefined : places[page];
  const where = place ? `page ${place.page} of parts[${place.part}]` : 'the document';
  return new StepError('', `cannot be carried out: ${where} ${message}`);
}

/** Writes the XMP packet anew from what is left of the information dictionary. */
function rewriteMetadata(document: OpenDocument, search: Search): void {
  const { title, claims } = readFacts(document.pdf);
  writeXmp(document, toFacts(readInformation(document.pdf), search.remove(title) || undefined), claims);
}

function readFacts({ pdf }: ForeignPdf): ReturnType<typeof readPartFacts> {
  try {
    return readPartFacts(pdf);
  } catch {
    return { title: '', claims: NO_CLAIMS };
  }
}

function noteDropped(
  { dropped }: OpenDocument,
  { attachments, streams, metadata, removedImages }: Redacted,
  search: Search,
): void {
  if (removedImages)
    dropped.push({
      what: 'images',
      why: `${removedImages === 1 ? 'one that cannot be decoded was' : `${removedImages} that cannot be decoded were`} removed as a whole`,
    });
  if (metadata) dropped.push({ what: 'xmp', why: 'it had what is redacted, and was written anew' });
  if (streams) dropped.push({ what: 'scripts or rich texts', why: 'they had what is redacted' });
  for (const name of attachments)
    dropped.push({ what: 'attachments', why: `${search.remove(name).slice(0, 100)} was removed by the step redact` });
}
