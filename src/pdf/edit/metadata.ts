/** Writes the metadata of a PDF: new values in, an information dictionary and an XMP packet with the same content out. */
import { PdfBool, PdfDict, type PdfObject, type PdfString } from '@libpdf/core';
import { isVersion2 } from '../conformance/profiles.ts';
import type { InvoiceFacts } from '../conformance/read-invoice.ts';
import { type FinishSettings, type PdfMetadata, RFC_3339 } from '../finish-settings.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { infoEntry, textString } from '../objects/syntax.ts';
import { type DocumentFacts, xmpStream } from './xmp.ts';

const PRODUCT = 'Platen';

/** Maximum length of the title that the document itself has, which is not validated elsewhere. */
const MAX_TITLE = 4_096;

/** Keeps the title of the document unless another is given. Dates are written only if they are given. Returns the title. */
export function addMetadata(
  editable: EditablePdf,
  { metadata, conformance, structure }: Pick<FinishSettings, 'metadata' | 'conformance' | 'structure'>,
  invoice: InvoiceFacts | undefined,
): string {
  const facts = toFacts(metadata, conformance ? structure?.title || undefined : ownTitle(editable));
  if (conformance && isVersion2(conformance)) editable.beginVersion2();
  else writeInformation(editable, facts);
  editable.catalog.set('Metadata', editable.add(xmpStream(facts, conformance, invoice)));
  if (facts.title && editable.catalog.has('StructTreeRoot')) showTitle(editable);
  return facts.title ?? '';
}

export function writeInformation(editable: EditablePdf, facts: DocumentFacts): void {
  const info = informationDictionary(facts);
  if (editable.info) editable.change(editable.info, info);
  else editable.info = editable.add(info);
}

function ownTitle(editable: EditablePdf): string | undefined {
  return editable.text(editable.asDict(editable.info), 'Title') || undefined;
}

/** `title` is that of the document. */
export function toFacts(metadata: PdfMetadata, title: string | undefined): DocumentFacts {
  return {
    title: clean(metadata.title ?? title?.slice(0, MAX_TITLE)),
    author: clean(metadata.author),
    subject: clean(metadata.subject),
    keywords: (metadata.keywords ?? []).map((keyword) => clean(keyword)),
    creator: clean(metadata.creator ?? PRODUCT),
    producer: clean(metadata.custom?.Producer ?? PRODUCT),
    creationDate: metadata.creationDate,
    modDate: metadata.modDate,
    custom: Object.entries(metadata.custom ?? {})
      .filter(([name]) => name !== 'Producer')
      .map(([name, text]) => [name, clean(text)]),
  };
}

/** Replaces characters that XML does not allow, in the dictionary and the packet alike. */
function clean<T extends string | undefined>(text: T): T {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow these characters (XML 1.0, 2.2)
  return text?.toWellFormed().replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd') as T;
}

function informationDictionary(facts: DocumentFacts): PdfDict {
  const entries: Array<[string, PdfObject | undefined]> = [
    ['Title', text(facts.title)],
    ['Author', text(facts.author)],
    ['Subject', text(facts.subject)],
    ['Keywords', text(facts.keywords?.length ? facts.keywords.join(', ') : undefined)],
    ['Creator', text(facts.creator)],
    ['Producer', text(facts.producer)],
    ['CreationDate', text(pdfDate(facts.creationDate))],
    ['ModDate', text(pdfDate(facts.modDate))],
    ...(facts.custom ?? []).map(([name, value]): [string, PdfObject] => [name, infoEntry(name, value)]),
  ];
  return new PdfDict(entries.filter((entry): entry is [string, PdfObject] => entry[1] !== undefined));
}

function text(value: string | undefined): PdfString | undefined {
  return value === undefined ? undefined : textString(value);
}

/** Converts a date from RFC 3339 to the format of PDF (ISO 32000-1, 7.9.4). */
export function pdfDate(date: string | undefined): string | undefined {
  const [, year, month, day, hour, minute, second, offsetHours = '+00', offsetMinutes = '00'] = RFC_3339.exec(date ?? '') ?? [];
  if (!year) return undefined;
  return `D:${year}${month}${day}${hour}${minute}${second}${offsetHours}'${offsetMinutes}'`;
}

/** Makes readers show the title of a tagged PDF instead of its filename (PDF/UA, 7.1). */
export function showTitle(editable: EditablePdf): void {
  const preferences = editable.copyDictionary(editable.catalog, 'ViewerPreferences');
  preferences.set('DisplayDocTitle', PdfBool.TRUE);
  editable.catalog.set('ViewerPreferences', preferences);
}
