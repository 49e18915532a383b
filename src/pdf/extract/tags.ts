/** Reads the tags of a PDF of any producer (ISO 32000-1, 14.7): a PDF in, a tree of elements out, whose leaves name marked content. */
import { PdfDict, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { markOf } from '../redact/read-content.ts';
import { STANDARD_TYPES, VERSION_2_TYPES } from '../structure/standard-types.ts';

export interface TagElement {
  /** A standard type, if the PDF maps its own to one. */
  type: string;
  kids: Tag[];
  /** Empty if there is none, as are the other texts. */
  alternative: string;
  actualText: string;
  expansion: string;
  numbering: string;
  columns: number;
  rows: number;
  /** Where its link leads outside of the PDF. */
  url: string;
}

/** Marked content, by its name. Each is in one place of the tree. */
interface TagContent {
  mark: string;
}

export type Tag = TagElement | TagContent;

export interface Tags {
  kids: Tag[];
  marks: ReadonlySet<string>;
  /** Why not all was read. */
  problems: ReadonlySet<string>;
}

const MAX_ELEMENTS = 500_000;
const MAX_DEPTH = 100;
const MAX_ROLES = 20;
/** Of all texts of elements together, which may be the same object. */
const MAX_CHARACTERS = 10_000_000;
const MAX_COLUMNS = 100;
const MAX_ROWS = 1_000;

export function isElement(tag: Tag): tag is TagElement {
  return 'kids' in tag;
}

/** Undefined if the PDF has no tags. Elements that are in several places, or around themselves, are read once. */
export function readTags(pdf: EditablePdf): Tags | undefined {
  const root = pdf.dict(pdf.catalog, 'StructTreeRoot');
  const kids = pdf.listOrOne(root, 'K');
  return root && kids.length ? new TagReader(pdf, root).read(kids) : undefined;
}

class TagReader {
  readonly #pdf: EditablePdf;
  readonly #roles: PdfDict | undefined;
  readonly #seen = new Set<PdfDict>();
  readonly #marks = new Set<string>();
  readonly #problems = new Set<string>();
  #charactersLeft = MAX_CHARACTERS;

  constructor(pdf: EditablePdf, root: PdfDict) {
    this.#pdf = pdf;
    this.#roles = pdf.dict(root, 'RoleMap');
  }

  read(kids: readonly PdfObject[]): Tags {
    return { kids: this.#readKids(kids, undefined, undefined, 0), marks: this.#marks, problems: this.#problems };
  }

  #readKids(kids: readonly PdfObject[], parent: TagElement | undefined, page: PdfRef | undefined, depth: number): Tag[] {
    if (depth > MAX_DEPTH) {
      this.#problems.add(`tags that are nested more than ${MAX_DEPTH} deep are left out`);
      return [];
    }
    return kids.flatMap((kid) => this.#readKid(kid, parent, page, depth) ?? []);
  }

  #readKid(given: PdfObject, parent: TagElement | undefined, page: PdfRef | undefined, depth: number): Tag | undefined {
    const kid = this.#pdf.resolve(given);
    if (kid instanceof PdfNumber) return this.#content(page, kid.value);
    if (!(kid instanceof PdfDict)) return undefined;
    const ownPage = this.#ref(kid, 'Pg') ?? page;
    const kind = this.#pdf.name(kid, 'Type');
    if (kind === 'MCR') return this.#content(this.#ref(kid, 'Stm') ?? ownPage, this.#pdf.number(kid, 'MCID'));
    if (kind !== 'OBJR') return this.#element(kid, ownPage, depth);
    if (parent && !parent.url) parent.url = this.#url(this.#pdf.dict(kid, 'Obj'));
    return undefined;
  }

  #ref(dict: PdfDict, entry: string): PdfRef | undefined {
    const value = dict.get(entry);
    return value instanceof PdfRef ? value : undefined;
  }

  #content(holder: PdfRef | undefined, mcid: number | undefined): TagContent | undefined {
    const mark = holder && mcid !== undefined ? markOf(holder.objectNumber, mcid) : undefined;
    if (mark === undefined || this.#marks.has(mark)) return undefined;
    this.#marks.add(mark);
    return { mark };
  }

  #element(dict: PdfDict, page: PdfRef | undefined, depth: number): TagElement | undefined {
    if (this.#seen.has(dict) || !dict.has('S')) return undefined;
    this.#seen.add(dict);
    if (this.#seen.size > MAX_ELEMENTS) {
      this.#problems.add(`only ${MAX_ELEMENTS} tags are read`);
      return undefined;
    }
    const element: TagElement = {
      type: this.#type(dict),
      kids: [],
      alternative: this.#text(dict, 'Alt'),
      actualText: this.#text(dict, 'ActualText'),
      expansion: this.#text(dict, 'E'),
      url: '',
      ...this.#attributes(dict),
    };
    element.kids = this.#readKids(this.#pdf.listOrOne(dict, 'K'), element, page, depth + 1);
    return element;
  }

  /** Types may be mapped to types that are mapped again. */
  #type(dict: PdfDict): string {
    const inNamespace = this.#pdf.dict(this.#pdf.dict(dict, 'NS'), 'RoleMapNS');
    let type = this.#pdf.name(dict, 'S');
    for (let step = 0; step < MAX_ROLES && !STANDARD_TYPES.has(type) && !VERSION_2_TYPES.has(type); step++) {
      const roles = inNamespace?.has(type) ? inNamespace : this.#roles;
      const [role] = this.#pdf.listOrOne(roles, type);
      const next = this.#pdf.label(role);
      if (!next) break;
      type = next;
    }
    return type;
  }

  #attributes(dict: PdfDict): Pick<TagElement, 'numbering' | 'columns' | 'rows'> {
    const found = { numbering: '', columns: 1, rows: 1 };
    for (const each of this.#pdf.listOrOne(dict, 'A').slice(0, MAX_ROLES)) {
      const attributes = this.#pdf.asDict(each);
      found.numbering ||= this.#pdf.name(attributes, 'ListNumbering');
      found.columns = limit(this.#pdf.number(attributes, 'ColSpan') ?? found.columns, MAX_COLUMNS);
      found.rows = limit(this.#pdf.number(attributes, 'RowSpan') ?? found.rows, MAX_ROWS);
    }
    return found;
  }

  #url(annotation: PdfDict | undefined): string {
    const action = this.#pdf.dict(annotation, 'A');
    return this.#pdf.name(action, 'S') === 'URI' ? this.#text(action, 'URI') : '';
  }

  #text(dict: PdfDict | undefined, entry: string): string {
    const text = this.#pdf.text(dict, entry);
    this.#charactersLeft -= text.length;
    if (this.#charactersLeft >= 0) return text;
    this.#problems.add(`only ${MAX_CHARACTERS} characters of the texts of tags are read`);
    return '';
  }
}

function limit(count: number, most: number): number {
  return Math.min(most, Math.max(1, Math.floor(count)));
}
