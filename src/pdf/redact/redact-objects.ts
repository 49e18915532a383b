/**
 * Removes text from all that a PDF says outside of its content streams: strings such as titles, values of fields and scripts, names of
 * destinations and states, descriptions of tags, and streams of text.
 */
import { PdfArray, PdfDict, PdfName, PdfNull, PdfNumber, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { treeEntries } from '../objects/name-tree.ts';
import { textString } from '../objects/syntax.ts';
import { markOf } from './read-content.ts';
import type { Search } from './search.ts';

/** Strings that are no text, or whose text is part of a format. */
const FORMATS = new Set(['Registry', 'Ordering', 'CheckSum', 'Panose', 'DA', 'DS', 'Lang', 'Cert', 'O', 'U']);
/** Strings by which something else refers to what has them, and such names. */
const NAMED = new Set(['T', 'ID', 'Dest', 'D', 'Headers', 'Names']);
const NAMED_BY_NAME = new Set([...NAMED, 'AS', 'V', 'DV']);
/** What applications keep for themselves, and pictures of pages. */
const PRIVATE = ['PieceInfo', 'Thumb'];
const DATE = /^D:\d{4}/;
/** What describes the content of an element. */
const DESCRIPTIONS = ['ActualText', 'Alt', 'E', 'T'];
const MAX_DEPTH = 500;

/** Removes private data, whatever is searched. */
export function dropPrivateData(pdf: ForeignPdf): void {
  for (const { ref, dict } of pdf.dictionaries()) {
    const dropped = [...PRIVATE, ...(ref.objectNumber === pdf.root.objectNumber ? [] : ['Metadata'])].filter((entry) =>
      dict.has(entry),
    );
    for (const entry of dropped) dict.delete(entry);
    if (dropped.length) pdf.change(ref, dict);
  }
}

/** What lost something: marked content (see `markOf`), and annotations by their numbers. */
interface Lost {
  marks: ReadonlySet<string>;
  annotations: ReadonlySet<number>;
}

/** Removes the descriptions of the elements around what lost something. */
export function dropDescriptions(pdf: ForeignPdf, lost: Lost): void {
  if (!lost.marks.size && !lost.annotations.size) return;
  for (const { ref, dict } of pdf.dictionaries()) {
    const isTouched = dict.has('S') && pdf.listOrOne(dict, 'K').some((kid) => isLost(pdf, dict, kid, lost));
    if (isTouched) dropDescriptionsAround(pdf, ref);
  }
}

/** Whether a kid of an element is marked content or an annotation that lost something. */
function isLost(pdf: ForeignPdf, element: PdfDict, kid: PdfObject, { marks, annotations }: Lost): boolean {
  const found = pdf.resolve(kid);
  const own = found instanceof PdfDict ? found : undefined;
  const object = own?.get('Obj');
  if (object instanceof PdfRef) return annotations.has(object.objectNumber);
  const mcid = own ? pdf.number(own, 'MCID') : found instanceof PdfNumber ? found.value : undefined;
  const holder = own?.get('Stm') ?? own?.get('Pg') ?? element.get('Pg');
  return mcid !== undefined && holder instanceof PdfRef && marks.has(markOf(holder.objectNumber, mcid));
}

function dropDescriptionsAround(pdf: ForeignPdf, ref: PdfRef): void {
  let at: PdfObject | undefined = ref;
  for (let depth = 0; at instanceof PdfRef && depth < MAX_DEPTH; depth++) {
    const element = pdf.asDict(at);
    for (const entry of DESCRIPTIONS) element?.delete(entry);
    if (element) pdf.change(at, element);
    at = element?.get('P');
  }
}

/** Returns whether something was found. */
export function redactStrings(pdf: ForeignPdf, search: Search): boolean {
  const redaction = new StringRedaction(pdf, search);
  redaction.run();
  if (redaction.isChanged) sortNames(pdf);
  return redaction.isChanged;
}

class StringRedaction {
  isChanged = false;
  readonly #pdf: ForeignPdf;
  readonly #search: Search;
  /** New names by old ones. Different names stay different. */
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** Dictionaries whose keys are names that a document chose. */
  readonly #chosen = new Set<PdfDict>();

  constructor(pdf: ForeignPdf, search: Search) {
    this.#pdf = pdf;
    this.#search = search;
  }

  run(): void {
    const objects = [...this.#pdf.objects()].flatMap((each) => ('value' in each ? each : []));
    this.#addChosen(this.#pdf.asDict(this.#pdf.info));
    this.#addChosen(this.#pdf.dict(this.#pdf.catalog, 'Dests'));
    for (const { value } of objects) this.#findStates(value, 0);
    for (const { id, value } of objects) {
      const before = this.isChanged;
      this.isChanged = false;
      const redacted = this.#redact(value, '', 0);
      if (this.isChanged) this.#pdf.change(PdfRef.of(id), redacted ?? PdfNull.instance);
      this.isChanged ||= before;
    }
  }

  #addChosen(dict: PdfDict | undefined): void {
    if (dict) this.#chosen.add(dict);
  }

  /** Appearances have the names of the states of a field. */
  #findStates(value: PdfObject, depth: number): void {
    if (depth > MAX_DEPTH) return;
    if (value instanceof PdfArray) for (const item of value.toArray()) this.#findStates(item, depth + 1);
    if (!(value instanceof PdfDict)) return;
    const appearances = this.#pdf.dict(value, 'AP');
    for (const entry of ['N', 'R', 'D']) {
      const states = this.#pdf.dict(appearances, entry);
      if (states && !(states instanceof PdfStream)) this.#addChosen(states);
    }
    for (const [, item] of value) this.#findStates(item, depth + 1);
  }

  /** Undefined for an entry that is removed. Arrays and dictionaries are changed in place. */
  #redact(value: PdfObject, key: string, depth: number): PdfObject | undefined {
    if (depth > MAX_DEPTH) return value;
    if (value instanceof PdfString) return FORMATS.has(key) ? value : this.#redactString(value, key);
    if (value instanceof PdfName) return NAMED_BY_NAME.has(key) ? this.#redactName(value) : value;
    if (value instanceof PdfArray) this.#redactArray(value, key, depth);
    else if (value instanceof PdfDict) this.#redactDictionary(value, depth);
    return value;
  }

  #redactArray(array: PdfArray, key: string, depth: number): void {
    const items = array.toArray();
    const [first] = items;
    if (first instanceof PdfName && (first.value === 'Indexed' || first.value === 'I')) return; // its string has colours
    for (const [index, item] of items.entries()) {
      const redacted = this.#redact(item, key === 'Names' && index % 2 ? '' : key, depth + 1);
      if (redacted !== item) array.set(index, redacted ?? PdfNull.instance);
    }
  }

  #redactDictionary(dict: PdfDict, depth: number): void {
    for (const [name, value] of [...dict]) {
      const redacted = this.#redact(value, name.value, depth + 1);
      const renamed = this.#chosen.has(dict) ? this.#redactName(name) : name;
      if (redacted === value && renamed === name) continue;
      dict.delete(name);
      if (redacted) dict.set(renamed, redacted);
    }
  }

  #redactString(string: PdfString, key: string): PdfString | undefined {
    const text = string.asString();
    if (!this.#search.matches(text)) return this.#redactAddress(string, text);
    this.isChanged = true;
    if (DATE.test(text)) return undefined;
    if (key === 'JS') return textString(''); // what is left of a script is none
    return textString(NAMED.has(key) ? this.#rename(text) : this.#search.remove(text));
  }

  /** Addresses encode some characters. What is left of one is encoded again. */
  #redactAddress(string: PdfString, text: string): PdfString {
    const decoded = decodeAddress(text);
    if (decoded === text || !this.#search.matches(decoded)) return string;
    this.isChanged = true;
    return textString(encodeURI(this.#search.remove(decoded).toWellFormed()));
  }

  #redactName(name: PdfName): PdfName {
    if (!this.#search.matches(name.value)) return name;
    this.isChanged = true;
    return PdfName.of(this.#rename(name.value));
  }

  #rename(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    let renamed = this.#search.remove(text) || '_';
    while (this.#taken.has(renamed)) renamed += '_';
    if (this.#search.matches(renamed)) renamed = this.#search.remove(renamed);
    this.#taken.add(renamed);
    this.#names.set(text, renamed);
    return renamed;
  }
}

/** An address as it is read, with plus signs as spaces. Other texts, which have spaces, stay as they are. */
function decodeAddress(text: string): string {
  if (/\s/.test(text)) return text;
  return text.replaceAll('+', ' ').replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded; // in another encoding than UTF-8
    }
  });
}

/** Writes name trees again, whose keys must be in order (ISO 32000-1, 7.9.6). */
function sortNames(pdf: ForeignPdf): void {
  const trees = [pdf.dict(pdf.catalog, 'Names'), pdf.dict(pdf.catalog, 'StructTreeRoot')];
  for (const holder of trees)
    for (const [name, tree] of [...(holder ?? [])]) {
      const entries = [...treeEntries(pdf, tree, 'Names')].flatMap(([key, value]) => {
        const label = pdf.resolve(key);
        return label instanceof PdfString ? [{ label, value }] : [];
      });
      if (!entries.length) continue;
      entries.sort((one, other) => Buffer.compare(one.label.bytes, other.label.bytes));
      holder?.set(name, PdfDict.of({ Names: PdfArray.of(...entries.flatMap(({ label, value }) => [label, value])) }));
    }
}
