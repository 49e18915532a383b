/**
 * Splits the print of combined documents: one PDF in; a PDF for each document out, with its own page, fonts and title. Its bytes depend on
 * nothing but the document: objects are numbered in the order in which it uses them, and fonts have only its own glyphs. Documents of
 * several pages and what is more than text, lines and areas are left out, because Chromium's output for them depends on their place.
 */
import { inflateSync } from 'node:zlib';
import { PdfArray, PdfDict, PdfName, type PdfObject, PdfRef } from '@libpdf/core';
import {
  type FontObjects,
  type Glyph,
  listComponents,
  readFont,
  readSubset,
  type SubsetGlyphs,
  writeSubset,
} from '../compress/font-subsets.ts';
import { EditablePdf } from '../objects/editable-pdf.ts';
import { contentView } from '../objects/inspect.ts';
import { deflatedStream, textString, toText } from '../objects/syntax.ts';
import { endPlain, Parts, toBody } from '../objects/write.ts';

export interface SplitTask {
  pieces: Uint8Array[];
  /** The title of each document; null for one that was not printed. */
  titles: Array<string | null>;
  /** On the first page of document 0 there is a link to `KEY:0`, and so on. */
  key: string;
  /** The scale with which a page must be printed. Chromium shrinks all documents if one is too wide. */
  scale: number;
}

/** A PDF for each document. One that must be printed in a render of its own is `alone`; one that others may have affected is `affected`. */
export type Split = Array<Uint8Array<ArrayBuffer> | Omission>;
type Omission = 'alone' | 'affected';

type Page = ReturnType<EditablePdf['pages']>[number];

const PAGE_ENTRIES = new Set(['Type', 'Resources', 'MediaBox', 'Annots', 'Contents', 'Tabs', 'Parent']);
const RESOURCES = new Set(['ProcSet', 'ExtGState', 'Font']);
/** The numbers of the objects that every PDF has. */
const [INFO, CATALOG, PAGES] = [1, 2, 3];
/**
 * Names of resources, character codes, and strings that may look like them. Skia escapes parentheses in strings (`write_literal_byte_string`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFTypes.cpp).
 */
const PARTS = /\((?:[^()\\]|\\.)*\)|\/ActualText\s*<[^<>]*>|\/([A-Z]+)(\d+)\b|<([\dA-F]+)>/gs;
/** The end of a line that changes the coordinates. */
const MATRIX_END = ' cm\n';
const MAKERS = /\/(?:Creator|Producer) \([^()\\]*\)/g;
/** A character code has two bytes. */
const CODE_DIGITS = 4;
/** Every font has it. */
const MISSING_GLYPH = 0;
const SCALE_TOLERANCE = 0.001;
const MAX_CONTENT_BYTES = 67_108_864;

export async function splitDocuments(task: SplitTask): Promise<Split> {
  const { pieces, titles, key } = task;
  const printed = await EditablePdf.read(Buffer.concat(pieces));
  const fonts = new SharedFonts(printed);
  const makers = readMakers(printed);
  const pages = groupPages(printed, key, titles.length);
  return titles.map((title, number) => {
    const [page, ...others] = pages[number] ?? [];
    if (title === null || !page || others.length) return 'alone';
    try {
      return new SingleDocument(printed, fonts, task).write(page, title, makers);
    } catch (error) {
      if (error instanceof Omitted) return error.omission;
      throw error;
    }
  });
}

class Omitted extends Error {
  readonly omission: Omission;

  constructor(omission: Omission) {
    super(omission);
    this.omission = omission;
  }
}

/** The entries of the information dictionary that name the program, as Chromium wrote them. */
function readMakers(printed: EditablePdf): string[] {
  const body = printed.info && printed.file.body(printed.info.objectNumber);
  return body?.toString('latin1').match(MAKERS) ?? [];
}

/** The pages of each document. */
function groupPages(printed: EditablePdf, key: string, documents: number): Page[][] {
  const groups: Page[][] = Array.from({ length: documents }, () => []);
  let group: Page[] | undefined;
  for (const each of printed.pages()) {
    for (const { annotation } of printed.annotations(each.page)) {
      const number = documentNumber(printed, annotation, key);
      if (number !== undefined) group = groups[number];
    }
    if (!group) throw new Error('a page belongs to no document');
    group.push(each);
  }
  return groups;
}

function documentNumber(printed: EditablePdf, annotation: PdfDict, key: string): number | undefined {
  const uri = printed.text(printed.dict(annotation, 'A'), 'URI');
  return uri.startsWith(`${key}:`) ? Number(uri.slice(key.length + 1)) : undefined;
}

/** The fonts of the print, each of which is read once. */
class SharedFonts {
  readonly #printed: EditablePdf;
  readonly #fonts = new Map<number, SubsetGlyphs & { objects: FontObjects }>();

  constructor(printed: EditablePdf) {
    this.#printed = printed;
  }

  read(id: number): SubsetGlyphs & { objects: FontObjects } {
    const known = this.#fonts.get(id);
    if (known) return known;
    const dict = this.#printed.asDict(PdfRef.of(id));
    const objects = dict && readFont(this.#printed, dict);
    if (!objects) throw new Omitted('alone');
    const font = { objects, ...readSubset(objects) };
    this.#fonts.set(id, font);
    return font;
  }
}

class SingleDocument {
  readonly #printed: EditablePdf;
  readonly #fonts: SharedFonts;
  readonly #key: string;
  readonly #scale: number;
  readonly #parts = new Parts();
  readonly #offsets: number[] = [];
  /** New object numbers by those of the print. */
  readonly #ids = new Map<number, number>();
  /** The character codes that each font shows, by its number in the print. */
  readonly #codes = new Map<number, Set<number>>();
  #lastId = PAGES;

  constructor(printed: EditablePdf, fonts: SharedFonts, { key, scale }: SplitTask) {
    this.#printed = printed;
    this.#fonts = fonts;
    this.#key = `${key}:`;
    this.#scale = scale;
  }

  /** Throws `Omitted`. */
  write(page: Page, title: string, makers: string[]): Uint8Array<ArrayBuffer> {
    const titled = title ? '\n/ViewerPreferences <</Type /ViewerPreferences\n/DisplayDocTitle true>>' : '';
    const named = title ? `/Title ${toText(textString(title))}\n` : '';
    this.#parts.version = '1.4';
    this.#add(INFO, `<<${named}${makers.join('\n')}>>`);
    this.#add(CATALOG, `<</Type /Catalog\n/Pages ${PAGES} 0 R${titled}>>`);
    this.#add(PAGES, `<</Type /Pages\n/Count 1\n/Kids [${this.#newId(page.ref.objectNumber)} 0 R]>>`);
    this.#addPage(page);
    for (const [index, [id, codes]] of [...this.#codes].entries()) this.#addFont(id, index, codes);
    endPlain(this.#parts, this.#offsets, PdfDict.of({ Root: PdfRef.of(CATALOG), Info: PdfRef.of(INFO) }));
    return this.#parts.join();
  }

  #addPage({ ref, page }: Page): void {
    const resources = this.#printed.dict(page, 'Resources');
    const contents = this.#printed.stream(page, 'Contents');
    if (!resources || !contents || !hasOnly(page, PAGE_ENTRIES) || !hasOnly(resources, RESOURCES)) throw new Omitted('alone');
    const names = new Map<string, PdfRef>();
    const content = this.#rename(inflateSync(contents.data, { maxOutputLength: MAX_CONTENT_BYTES }).toString('latin1'), names);
    const changed = new PdfDict(page);
    const annotations = this.#printed.annotations(page).flatMap(({ annotation }) => this.#addAnnotation(annotation));
    if (annotations.length) changed.set('Annots', PdfArray.of(...annotations));
    else changed.delete('Annots');
    changed.set('Resources', this.#copyResources(resources, names));
    changed.set('Contents', this.#add(this.#nextId(), toBody(deflatedStream({}, Buffer.from(content, 'latin1')))));
    changed.set('Parent', PdfRef.of(PAGES));
    this.#add(this.#newId(ref.objectNumber), toText(changed));
  }

  /** The content with new names for its resources, which are added to `names`. */
  #rename(content: string, names: Map<string, PdfRef>): string {
    const view = contentView(content);
    if (!view) throw new Omitted('alone'); // an empty page
    const isShrunk = Math.abs(view.scale / this.#scale - 1) > SCALE_TOLERANCE;
    if (isShrunk || showsOthers(content)) throw new Omitted('affected');
    let codes = new Set<number>();
    return content.replace(PARTS, (part, kind?: string, id?: string, hex?: string) => {
      for (let at = 0; hex && at < hex.length; at += CODE_DIGITS) codes.add(Number.parseInt(hex.slice(at, at + CODE_DIGITS), 16));
      if (!kind || !id) return part;
      if (kind === 'F') codes = this.#codesOf(Number(id));
      names.set(`${kind}${id}`, PdfRef.of(this.#newId(Number(id))));
      return `/${kind}${this.#newId(Number(id))}`;
    });
  }

  #codesOf(font: number): Set<number> {
    const codes = this.#codes.get(font) ?? new Set();
    this.#codes.set(font, codes);
    return codes;
  }

  /** Only the resources that the page uses, with their new names, which Chromium makes of their numbers. */
  #copyResources(resources: PdfDict, names: Map<string, PdfRef>): PdfDict {
    const copy = new PdfDict();
    for (const [kind, value] of resources) {
      const listed = this.#printed.asDict(value);
      if (listed) copy.set(kind, this.#copyListed(listed, kind.value, names));
      else copy.set(kind, value);
    }
    return copy;
  }

  #copyListed(listed: PdfDict, kind: string, names: Map<string, PdfRef>): PdfDict {
    const used: Array<[number, PdfRef, PdfObject]> = [];
    for (const [name, value] of listed) {
      const ref = names.get(name.value);
      if (ref) used.push([ref.objectNumber, ref, value]);
    }
    const copy = new PdfDict();
    for (const [id, ref, value] of used.sort(([a], [b]) => a - b)) {
      if (kind !== 'Font' && !this.#offsets[id]) this.#add(id, toText(withoutReferences(this.#printed.asDict(value))));
      copy.set(PdfName.of(`${kind === 'Font' ? 'F' : 'G'}${id}`), ref);
    }
    return copy;
  }

  /** Adds an annotation, unless it only marks the first page of the document. */
  #addAnnotation(annotation: PdfDict): PdfRef[] {
    if (this.#printed.text(this.#printed.dict(annotation, 'A'), 'URI').startsWith(this.#key)) return [];
    return [this.#add(this.#nextId(), toText(withoutReferences(annotation)))];
  }

  #addFont(id: number, index: number, codes: Set<number>): void {
    const { objects, tables, glyphs } = this.#fonts.read(id);
    const own = withComponents(glyphs, codes);
    const subset = { id: this.#newId(id), index, like: objects, tables, glyphs: own };
    for (const object of writeSubset(subset, () => this.#nextId())) this.#add(object.id, toBody(object.value));
  }

  #add(id: number, body: string | Uint8Array): PdfRef {
    this.#offsets[id] = this.#parts.length;
    this.#parts.addObject(id, body);
    return PdfRef.of(id);
  }

  #newId(old: number): number {
    const id = this.#ids.get(old) ?? this.#nextId();
    this.#ids.set(old, id);
    return id;
  }

  #nextId(): number {
    return ++this.#lastId;
  }
}

/** Whether something is drawn in the coordinates of another document, whose pages are above or below. */
function showsOthers(content: string): boolean {
  const [first, ...matrices] = matricesOf(content);
  const heightInUnits = Number(first?.top) / Number(first?.unit);
  return matrices.some(({ top }) => top < 0 || top > heightInUnits);
}

/** The horizontal scale and the vertical offset of each matrix. */
function* matricesOf(content: string): Generator<{ unit: number; top: number }> {
  for (let end = content.indexOf(MATRIX_END); end >= 0; end = content.indexOf(MATRIX_END, end + MATRIX_END.length)) {
    const [unit, , , , , top] = content.slice(content.lastIndexOf('\n', end) + 1, end).split(' ');
    yield { unit: Number(unit), top: Number(top) };
  }
}

function hasOnly(dict: PdfDict, known: Set<string>): boolean {
  return [...dict].every(([{ value }]) => known.has(value));
}

function withoutReferences(dict: PdfDict | undefined): PdfDict {
  if (!dict || [...dict].some(([, value]) => refersToObjects(value))) throw new Omitted('alone');
  return dict;
}

function refersToObjects(value: PdfObject): boolean {
  if (value instanceof PdfArray) return [...value].some(refersToObjects);
  return value instanceof PdfRef || (value instanceof PdfDict && [...value].some(([, inner]) => refersToObjects(inner)));
}

/** The glyphs of the codes and those that they consist of, whose width and text do not depend on who else uses them. */
function withComponents(glyphs: Map<number, Glyph>, codes: Set<number>): Map<number, Glyph> {
  const own = new Map<number, Glyph>();
  const waiting = [MISSING_GLYPH, ...codes];
  for (let code = waiting.pop(); code !== undefined; code = waiting.pop()) {
    const glyph = glyphs.get(code);
    if (!glyph || own.has(code)) continue;
    own.set(code, codes.has(code) ? glyph : { ...glyph, width: undefined, text: undefined });
    waiting.push(...listComponents(glyph.outline));
  }
  return own;
}
