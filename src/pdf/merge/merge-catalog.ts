/**
 * Joins what the catalogs of merged PDFs say of the whole (ISO 32000-1, 7.7.2): names of destinations, scripts, how viewers open and show
 * it. What a whole can have only once is that of the first PDF. The rest is named as lost.
 */
import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfString } from '@libpdf/core';
import { explicitDestination } from '../objects/destinations.ts';
import { treeEntries } from '../objects/name-tree.ts';
import type { PdfReader } from '../objects/pdf-reader.ts';
import { textString, toText } from '../objects/syntax.ts';

interface Source extends PdfReader {
  /** Copies a value and replaces the object numbers of all references. */
  copyValue(value: PdfObject): PdfObject;
  firstPage: PdfRef;
}

/** What could not be kept. */
export interface Dropped {
  what: string;
  why: string;
  /** The index of the part. Absent if it is of the whole. */
  part?: number;
}

const OF_ONE = 'a PDF can have only one, and this is not the first part';
/** Entries of the catalog that the whole has only once. */
const OF_FIRST = [
  ['OpenAction', 'the action on opening'],
  ['PageLayout', 'the page layout'],
  ['PageMode', 'the page mode'],
  ['ViewerPreferences', 'the viewer preferences'],
] as const;
/** Other entries that a whole cannot have, of the catalog or of a dictionary in it. */
const NOT_KEPT = [
  ['', 'AA', 'actions of the document', 'they would hold for all parts'],
  ['', 'Collection', 'the portfolio', 'its files are attachments'],
  ['', 'Threads', 'the list of articles', 'articles belong to one PDF'],
  ['', 'URI', 'the base URL of links', 'it would hold for all parts'],
  ['AcroForm', 'XFA', 'XFA', 'it describes only the fields of this part, which stay'],
  ['OCProperties', 'Configs', 'layer configurations', 'they name only layers of this part'],
] as const;
const DESTINATIONS = 'names of destinations';
/** Two of them are written anew for the whole: its title, and its bookmarks. */
const WRITTEN_ANEW = ['Type', 'DisplayDocTitle'];
const MODES_OF_BOOKMARKS = ['', 'UseNone', 'UseOutlines'];

export class MergedCatalog {
  readonly lost: Dropped[] = [];
  readonly #first = new Map<string, PdfObject>();
  readonly #destinations = new NamedValues();
  readonly #scripts = new NamedValues();
  #parts = 0;

  /** Adds the catalog of the next part. */
  join(source: Source, catalog: PdfDict): void {
    const part = this.#parts++;
    this.#joinFirst(source, catalog, part);
    for (const [parent, entry, what, why] of NOT_KEPT)
      if ((parent ? source.dict(catalog, parent) : catalog)?.has(entry)) this.lost.push({ what, why, part });
    if (this.#joinNames(source, catalog, part)) this.noteRenamed(DESTINATIONS);
  }

  /** Notes that names of the last part have changed. */
  noteRenamed(what: string): void {
    this.lost.push({ what, why: 'earlier parts have the same: a number was added', part: this.#parts - 1 });
  }

  /** Writes the entries into the catalog of the whole. PDF/UA-2 has only destinations in its structure. */
  end(catalog: PdfDict, { isVersion2 }: { isVersion2: boolean }): void {
    for (const [entry, value] of this.#first) catalog.set(entry, value);
    const [destinations, scripts] = [this.#destinations.toTree(), this.#scripts.toTree()];
    if (destinations && isVersion2) this.lost.push({ what: DESTINATIONS, why: 'PDF/UA-2 does not allow them' });
    const names = {
      ...(destinations && !isVersion2 && { Dests: destinations }),
      ...(scripts && { JavaScript: scripts }),
    };
    if (Object.keys(names).length) catalog.set('Names', PdfDict.of(names));
  }

  #joinFirst(source: Source, catalog: PdfDict, part: number): void {
    for (const [entry, what] of OF_FIRST) {
      const value = readEntry(source, catalog, entry);
      if (value && !part) this.#first.set(entry, source.copyValue(value));
      else if (value && !this.#hasEqual(entry, value)) this.lost.push({ what, why: OF_ONE, part });
    }
  }

  #hasEqual(entry: string, value: PdfObject): boolean {
    const first = this.#first.get(entry);
    return first !== undefined && toText(first) === toText(value);
  }

  /** Returns whether names of destinations were changed. */
  #joinNames(source: Source, catalog: PdfDict, part: number): boolean {
    const names = source.dict(catalog, 'Names');
    const old = [...(source.dict(catalog, 'Dests') ?? [])];
    const destinations = [...old, ...treeEntries(source, names?.get('Dests'), 'Names')].flatMap(([key, value]) => {
      const place = explicitDestination(source, value);
      return place ? [[key, source.copyValue(place)] as const] : [];
    });
    const scripts = [...treeEntries(source, names?.get('JavaScript'), 'Names')];
    this.#scripts.add(
      scripts.map(([key, value]) => [key, source.copyValue(value)]),
      source,
      part,
    );
    return this.#destinations.add(destinations, source, part);
  }
}

/** An entry of which something is to be kept. */
function readEntry(source: Source, catalog: PdfDict, entry: (typeof OF_FIRST)[number][0]): PdfObject | undefined {
  const value = source.resolve(catalog.get(entry));
  if (entry === 'PageMode') return MODES_OF_BOOKMARKS.includes(source.name(catalog, entry)) ? undefined : value;
  if (entry === 'OpenAction') return readAction(source, value);
  if (entry !== 'ViewerPreferences' || !(value instanceof PdfDict)) return value;
  const others = new PdfDict([...value].filter(([name]) => !WRITTEN_ANEW.includes(name.value)));
  return others.size ? others : undefined;
}

/** Many PDFs only say that they open on their first page, as all do. */
function readAction(source: Source, value: PdfObject | undefined): PdfObject | undefined {
  if (!(value instanceof PdfDict) && !(value instanceof PdfArray) && source.label(value) === undefined) return undefined;
  const action = value instanceof PdfDict && !value.has('D') ? value : undefined;
  if (action) return action;
  const place = explicitDestination(source, value instanceof PdfDict ? value.get('D') : value);
  const [page] = place?.toArray() ?? [];
  const isFirst = page instanceof PdfRef && page.objectNumber === source.firstPage.objectNumber;
  return source.asDict(page) && !isFirst ? place : undefined;
}

/** Values of several parts by unique names, in a name tree (7.9.6). */
class NamedValues {
  readonly #values = new Map<string, { key: PdfString; value: PdfObject; part: number }>();
  /** The next number for a name that is taken. */
  readonly #numbers = new Map<string, number>();

  /** Adds those of a part. A number is added to names that are taken. Returns whether there are any. */
  add(named: Iterable<readonly [key: PdfObject, value: PdfObject]>, source: Source, part: number): boolean {
    let isRenamed = false;
    for (const [key, value] of named) {
      const wanted = source.label(key) ?? '';
      const name = this.#findFree(wanted, part);
      isRenamed ||= name !== wanted;
      const isKept = key instanceof PdfString && name === wanted;
      this.#values.set(name, { key: isKept ? key : textString(name), value, part });
    }
    return isRenamed;
  }

  #findFree(wanted: string, part: number): string {
    let name = wanted;
    let number = this.#numbers.get(wanted) ?? 2;
    const isTaken = () => (this.#values.get(name)?.part ?? part) !== part;
    for (; isTaken(); number++) name = `${wanted}-${number}`;
    if (name !== wanted) this.#numbers.set(wanted, number);
    return name;
  }

  /** Undefined if there are none. */
  toTree(): PdfDict | undefined {
    const entries = [...this.#values.values()].sort((one, other) => Buffer.compare(one.key.bytes, other.key.bytes));
    const names = entries.flatMap(({ key, value }) => [key, value]);
    return names.length ? PdfDict.of({ Names: PdfArray.of(...names) }) : undefined;
  }
}
