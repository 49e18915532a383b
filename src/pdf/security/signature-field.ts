/**
 * Adds signature fields (ISO 32000-1, 12.7.4.5 and 12.8): an editable PDF in, a field with a placeholder for its signature out.
 * In the written file, finds the placeholder and computes the digest to sign.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  PDF,
  PdfArray,
  PdfBool,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  type PdfRef,
  type PdfStream,
  PdfString,
} from '@libpdf/core';
import { ServiceError } from '../../errors.ts';
import { toDirection } from '../edit/stamp.ts';
import type { FieldPosition, SignatureField, SignaturePlaceholder, VisibleField } from '../finish-settings.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { fromShown, pageView } from '../objects/page-view.ts';
import { PdfReader } from '../objects/pdf-reader.ts';
import { numbers, roundedDecimal, textString } from '../objects/syntax.ts';
import { StructureTree } from '../structure/structure-tree.ts';

/** With a number. */
const SIGNATURE_STEM = 'Signature';
export const SIGNATURE_NAME = `${SIGNATURE_STEM}1`;
/** The initial numbers of `ByteRange`, with ten digits, because an offset can have that many. */
export const PLACEHOLDER = 9_999_999_999;
const MARKER_BYTES = 16;
/** A field may extend beyond its page by this many points, because page sizes are rounded. */
const TOLERANCE = 1;
/** The flags Print and Locked (table 165). */
const FIELD_FLAGS = 132;
/** The flags SignaturesExist and AppendOnly (table 219). */
export const FORM_FLAGS = 3;

export interface FieldPlace {
  /** Undefined if a form field of the document is signed. */
  position: NewPosition | undefined;
  /** A form XObject; undefined for an invisible signature. */
  shown: PdfRef | undefined;
}

interface NewPosition {
  page: PdfRef;
  /** Left, bottom, right and top in the coordinates of the page. */
  rect: number[];
  /** How far the page is turned clockwise, in degrees. */
  turn: number;
}

/** Embeds the appearance of the field, but does not add it yet. Throws `print_failed` for a page that is missing or too small. */
export async function placeField(editable: EditablePdf, visible: VisibleField | undefined): Promise<FieldPlace> {
  const place = visible?.place;
  const position = place && 'number' in place ? undefined : choosePosition(editable, place);
  if (!visible) return { position, shown: undefined };
  const { ref } = await editable.pdf.embedPage(await PDF.load(Buffer.concat(visible.appearance)), 0);
  const [a, b] = toDirection(position?.turn ?? 0);
  if (b || a < 0) (editable.pdf.getObject(ref) as PdfStream).set('Matrix', numbers(a, b, -b, a, 0, 0)); // upright on a page that is turned
  return { position, shown: ref };
}

function choosePosition(editable: EditablePdf, visible: FieldPosition | undefined): NewPosition {
  const pages = editable.pdf.getPages();
  const page = pages.at(visible ? (visible.page > 0 ? visible.page - 1 : visible.page) : 0)?.ref;
  if (!page)
    throw misplaced(`the PDF has ${pages.length} ${pages.length === 1 ? 'page' : 'pages'} and no page ${visible?.page ?? 1}`);
  return { page, ...(visible ? fieldRect(editable, page, visible) : { rect: [0, 0, 0, 0], turn: 0 }) };
}

/**
 * Returns random hexadecimal digits that identify the placeholder in the file. `ownField` is the form field of the document to sign,
 * if there is one. `isTagged` tells whether the field gets a tag. The editable must not change afterwards.
 */
export function addSignatureField(
  editable: EditablePdf,
  field: SignatureField,
  { position, shown }: FieldPlace,
  ownField: PdfRef | undefined,
  isTagged = editable.catalog.has('StructTreeRoot'),
): string {
  const marker = newMarker();
  const signature = editable.add(signatureDictionary(field, marker));
  editable.signature = signature;
  const entries: Record<string, PdfObject> = {
    ...{ V: signature, F: PdfNumber.of(FIELD_FLAGS) },
    ...(shown && { AP: PdfDict.of({ N: shown }) }),
  };
  const description = textString(field.description);
  const own = { T: textString(freeFieldName(editable, SIGNATURE_STEM)), TU: description, Contents: description };
  if (position) addWidget(editable, position, { ...entries, ...own }, isTagged);
  else completeWidget(editable, ownField, entries);
  return marker.toString('hex');
}

/** The first name with a number that no field of the form has. */
export function freeFieldName(pdf: PdfReader, stem: string): string {
  const form = pdf.dict(pdf.pdf.context.catalog.getDict(), 'AcroForm');
  const names = new Set(pdf.list(form, 'Fields').map((field) => pdf.text(pdf.asDict(field), 'T')));
  let number = 1;
  while (names.has(stem + number)) number++;
  return stem + number;
}

function addWidget(
  editable: EditablePdf,
  { page, rect }: NewPosition,
  entries: Record<string, PdfObject>,
  isTagged: boolean,
): void {
  const widget = editable.add(new PdfDict());
  addToPage(editable, page, widget);
  const [left, bottom, right, top] = rect;
  const isUntagged = editable.version === '2.0' && left === right && bottom === top; // invisible (ISO 14289-2, 8.9.2.4.13)
  const key = isTagged && !isUntagged ? adopt(editable, widget, page) : undefined;
  const all = {
    ...{ Type: PdfName.of('Annot'), Subtype: PdfName.of('Widget'), FT: PdfName.of('Sig'), P: page },
    ...{ ...entries, Rect: PdfArray.of(...rect.map((value) => PdfNumber.of(value))) },
    ...(key !== undefined && { StructParent: PdfNumber.of(key) }),
  };
  editable.change(widget, PdfDict.of(all));
  const form = copyForm(editable);
  form.set('Fields', PdfArray.of(...editable.list(form, 'Fields'), widget));
  editable.catalog.set('AcroForm', form);
}

/** Signs a form field of the document, which keeps its name and description. */
function completeWidget(editable: EditablePdf, ref: PdfRef | undefined, entries: Record<string, PdfObject>): void {
  if (!ref) throw new Error('the form field for the signature is missing');
  editable.update(ref, entries);
  editable.catalog.set('AcroForm', copyForm(editable));
}

/** Random bytes at the start of the placeholder of a signature. */
export function newMarker(): Buffer {
  return randomBytes(MARKER_BYTES);
}

/** `ByteRange` must come directly before `Contents`, because `findHole` searches for it there. */
function signatureDictionary(field: SignatureField, marker: Buffer): PdfDict {
  const { reason, location, contact, name, signedAt, reservedBytes } = field;
  const Contents = new PdfString(Buffer.concat([marker, Buffer.alloc(reservedBytes - marker.length)]), 'hex');
  const texts = Object.entries({ Name: name, Reason: reason, Location: location, ContactInfo: contact });
  return PdfDict.of({
    ...{ Type: PdfName.of('Sig'), Filter: PdfName.of('Adobe.PPKLite'), SubFilter: PdfName.of('ETSI.CAdES.detached') },
    M: textString(toPdfDate(signedAt)),
    ...Object.fromEntries(texts.flatMap(([entry, text]) => (text === undefined ? [] : [[entry, textString(text)]]))),
    ByteRange: numbers(0, PLACEHOLDER, PLACEHOLDER, PLACEHOLDER),
    Contents,
  });
}

/** A date in UTC (7.9.4). */
function toPdfDate(milliseconds: number): string {
  return `D:${new Date(milliseconds).toISOString().replace(/\D/g, '').slice(0, 14)}+00'00'`;
}

function fieldRect(editable: EditablePdf, page: PdfRef, visible: FieldPosition): Omit<NewPosition, 'page'> {
  const dict = editable.asDict(page);
  if (!dict) throw new Error('a page is missing');
  const view = pageView(editable, dict);
  const { turn } = view;
  const [width, height] = turn % 180 ? [view.height, view.width] : [view.width, view.height];
  if (visible.x + visible.width > width + TOLERANCE || visible.y + visible.height > height + TOLERANCE)
    throw misplaced(`the field extends beyond its page, which is ${inMillimetres(width)} wide and ${inMillimetres(height)} high`);
  const top = height - visible.y;
  const corners = [fromShown(view, visible.x, top - visible.height), fromShown(view, visible.x + visible.width, top)];
  const [across, up] = [0, 1].map((axis) =>
    corners.map((corner) => Number(roundedDecimal(corner[axis] as number))).toSorted((one, other) => one - other),
  );
  return { rect: [across?.[0], up?.[0], across?.[1], up?.[1]] as number[], turn };
}

function misplaced(because: string): ServiceError {
  return new ServiceError('print_failed', `options.signature.field: ${because}`);
}

function inMillimetres(points: number): string {
  return `${Math.round((points / 72) * 25.4)} mm`;
}

function addToPage(editable: EditablePdf, ref: PdfRef, widget: PdfRef): void {
  const annotations = editable.list(editable.asDict(ref), 'Annots');
  editable.update(ref, { Annots: PdfArray.of(...annotations, widget), Tabs: PdfName.of('S') });
}

/** Adds the field to the structure tree of a tagged PDF (ISO 14289-1, 7.18.4). Returns its key in the parent tree. */
function adopt(editable: EditablePdf, widget: PdfRef, page: PdfRef): number {
  const tree = StructureTree.read(editable);
  const key = tree.adopt('Form', widget, page);
  tree.write({});
  return key;
}

function copyForm(editable: EditablePdf): PdfDict {
  const form = editable.copyDictionary(editable.catalog, 'AcroForm');
  form.set('SigFlags', PdfNumber.of(FORM_FLAGS));
  if (form.has('NeedAppearances')) form.set('NeedAppearances', PdfBool.FALSE);
  return form;
}

/**
 * Writes the `ByteRange` of the signature into the finished file: all its bytes except `Contents`. Returns the position of the
 * digits of `Contents` and the digest of all other bytes.
 */
export function findHole(file: Buffer, marker: string, digest: SignatureField['digest']): SignaturePlaceholder {
  const start = file.indexOf(marker, 0, 'latin1') - 1;
  const end = file.indexOf('>', start) + 1;
  const at = file.lastIndexOf('[0 ', start);
  const range = `[0 ${start} ${end} ${file.length - end}]`;
  const available = file.indexOf(']', at) + 1 - at;
  if (start < 0 || end <= 0 || at < 0 || available < range.length)
    throw new Error('the placeholder of the signature is missing or too small');
  file.write(range.padEnd(available), at, 'latin1');
  const signed = [file.subarray(0, start), file.subarray(end)];
  const hash = createHash(digest);
  for (const part of signed) hash.update(part);
  return { start: start + 1, digits: end - start - 2, digest: Uint8Array.from(hash.digest()) };
}

/** Whether a PDF is signed, so that a change would invalidate it. Signatures are never compressed, so the search finds them. */
export async function isSigned(file: Buffer): Promise<boolean> {
  return file.includes('/ByteRange') && hasSignature(await PDF.load(file)); // the search avoids parsing most PDFs
}

export function hasSignature(pdf: PDF): boolean {
  const reader = new PdfReader(pdf);
  const form = reader.dict(pdf.context.catalog.getDict(), 'AcroForm');
  const fields = new Set(reader.list(form, 'Fields').map((field) => reader.asDict(field)));
  for (const field of fields) {
    if (field?.getName('FT')?.value === 'Sig' && field.has('V')) return true;
    for (const kid of reader.list(field, 'Kids')) fields.add(reader.asDict(kid));
  }
  return false;
}
