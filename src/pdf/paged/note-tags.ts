/**
 * Joins the tags of footnotes, which were printed apart, with those of the document: both prints in, the changed texts of objects out. Each
 * footnote becomes a Note in the place of its call, whose number Chromium does not tag (ISO 32000-1, 14.8.4.4.1).
 */
import type { PrintedPages } from '../edit/printed-pages.ts';
import { maskStrings, replaceReferences } from '../objects/raw-file.ts';
import { annotationsOf } from '../windows/window-tags.ts';

const ELEMENT = /^<<\/Type \/StructElem\b/;
const KEY = /(?<=\/StructParents? )\d+/;
const PAGE = /\n\/Pg (\d+) 0 R/;
const PARENT = /(?<=\n\/P )\d+(?= 0 R)/;
const TYPE = /(?<=^<<\/Type \/StructElem\n\/S \/)\w+/;
const KIDS = /\n\/K (\[[^[\]]*\]|<<[^<>]*>>|\d+ 0 R|\d+)/;
const KID = /<<[^<>]*>>|\b\d+ 0 R|\b\d+/g;
const NUMS = /\/Nums \[([^[\]]*)\]/;
const NAME = /\n\/Alt \([^()\\]*\)/;
const NEXT_KEY = /(?<=\/ParentTreeNextKey )\d+/;

/** A page of the footnotes: the object numbers of the page over which it is drawn, and of the form that it becomes. */
export interface NotePage {
  page: number;
  form: number;
}

export class NoteTags {
  /** What is changed, by the numbers in the result, where objects of the footnotes follow those of the document. */
  readonly changed = new Map<number, string>();
  readonly #file: PrintedPages;
  readonly #notes: PrintedPages;
  /** By the object numbers of the pages of the footnotes. */
  readonly #pages: ReadonlyMap<number, NotePage>;
  readonly #root: number;
  /** What is added to the keys of the parent tree of the footnotes. */
  readonly #keys: number;

  /** `key` is that with which the names of calls and footnotes begin. */
  constructor(file: PrintedPages, notes: PrintedPages, pages: ReadonlyMap<number, NotePage>, key: string) {
    this.#file = file;
    this.#notes = notes;
    this.#pages = pages;
    this.#root = rootOf(file);
    this.#keys = nextKey(file);
    this.#join(key);
  }

  /** Renumbers an object of the footnotes. What is marked on a page is marked in its form. */
  translate(text: string): string {
    const changed = ELEMENT.test(text) ? this.#withForms(text) : text.replace(KEY, (key) => `${Number(key) + this.#keys}`);
    return replaceReferences(changed, (id) => `${this.#pages.get(id)?.page ?? id + this.#file.size} 0 R`);
  }

  #withForms(text: string): string {
    const [, own] = PAGE.exec(maskStrings(text)) ?? [];
    return replaceKids(text, (kids) =>
      kids.map((kid) => {
        const [mcid] = /^\d+$/.exec(kid) ?? /(?<=\/MCID )\d+/.exec(kid) ?? [];
        const [page = own] = /(?<=\/Pg )\d+/.exec(kid) ?? [];
        const form = this.#pages.get(Number(page))?.form;
        if (mcid === undefined || form === undefined || kid.includes('/Stm')) return kid;
        return `<</Type /MCR\n/Pg ${page} 0 R\n/Stm ${form - this.#file.size} 0 R\n/MCID ${mcid}>>`;
      }),
    );
  }

  /** Puts each footnote in the place of the link in its call, or at the end of the document if that has no tag. */
  #join(key: string): void {
    const notes = this.#findNotes(key);
    const links = this.#findLinks(key, notes);
    this.#joinParents(new Set(links.values()));
    this.#addIds(notes);
    for (const [number, [first, ...others]] of notes) {
      if (first === undefined) continue;
      this.#retype(first, 'Note', `\n/ID ${toId(first)}`);
      this.#insert(first, links.get(number));
      for (const other of others) {
        this.#retype(other, 'NonStruct');
        this.#append(other, first);
      }
    }
  }

  /** The elements of the footnotes by the numbers in their names. One that goes on to another page has several. */
  #findNotes(key: string): Map<string, number[]> {
    const name = new RegExp(`/Alt \\(${key}:(\\d+)\\)`);
    const found = new Map<string, number[]>();
    for (let id = 1; id < this.#notes.size; id++) {
      const text = this.#notes.body(id) ? this.#notes.text(id) : '';
      const [, number] = (ELEMENT.test(text) && name.exec(text)) || [];
      if (number !== undefined) found.set(number, [...(found.get(number) ?? []), id + this.#file.size]);
    }
    return found;
  }

  /** The tags of the links in the calls of these footnotes. A call may be in another footnote. */
  #findLinks(key: string, notes: ReadonlyMap<string, unknown>): Map<string, number> {
    const address = new RegExp(`/URI \\(${key}:(\\d+)\\)`);
    const read = (print: PrintedPages, shift: number) => {
      const owners = new Map(readParents(print));
      return print.pages
        .flatMap((_, index) => annotationsOf(print, index))
        .flatMap((id): Array<[number: string, link: number]> => {
          const [, number] = address.exec(print.text(id)) ?? [];
          const owner = owners.get(Number(KEY.exec(print.text(id))?.[0]));
          return number !== undefined && owner !== undefined && notes.has(number) ? [[number, owner + shift]] : [];
        });
    };
    return new Map([...read(this.#file, 0), ...read(this.#notes, this.#file.size)]);
  }

  /** `left` are the owners that are left out. */
  #joinParents(left: ReadonlySet<number>): void {
    const { size } = this.#file;
    const added = readParents(this.#notes).map(([key, id]): Parent => [key + this.#keys, id + size]);
    const entries = [...readParents(this.#file), ...added].filter(([, id]) => !left.has(id));
    const nums = entries.map(([key, id]) => `${key} ${id} 0 R`).join('\n');
    this.#change(parentTreeOf(this.#file), (text) => text.replace(NUMS, `/Nums [${nums}]`));
    const next = this.#keys + nextKey(this.#notes);
    this.#change(this.#root, (text) => text.replace(NEXT_KEY, `${next}`));
  }

  /** The leaf with the ids takes the number that the root of the footnotes would have. */
  #addIds(notes: ReadonlyMap<string, readonly number[]>): void {
    const ids = [...notes.values()].map(([first = 0]) => [toId(first), `${first} 0 R`]).sort();
    const leaf = rootOf(this.#notes) + this.#file.size;
    this.changed.set(leaf, `<</Limits [${ids[0]?.[0]} ${ids.at(-1)?.[0]}]\n/Names [${ids.flat().join(' ')}]>>`);
    const root = this.#text(this.#root);
    const [, tree] = /\/IDTree (\d+) 0 R/.exec(root) ?? [];
    if (!root.includes('/IDTree'))
      this.#change(this.#root, (text) => text.replace('/ParentTreeNextKey', '/IDTree <</Kids []>>\n/ParentTreeNextKey'));
    this.#change(Number(tree ?? this.#root), (text) => text.replace(/(?<=\/Kids \[)[^\]]*/, (kids) => `${kids} ${leaf} 0 R`));
  }

  #insert(note: number, link: number | undefined): void {
    if (link === undefined) this.#append(note, this.#document);
    else {
      const parent = this.#parentOf(link);
      this.#changeKids(parent, (kids) => kids.map((kid) => (kid === `${link} 0 R` ? `${note} 0 R` : kid)));
      this.#setParent(note, parent);
    }
  }

  #append(id: number, parent: number): void {
    this.#changeKids(parent, (kids) => [...kids, `${id} 0 R`]);
    this.#setParent(id, parent);
  }

  get #document(): number {
    return Number(/\n\/K (\d+) 0 R/.exec(this.#text(this.#root))?.[1]);
  }

  #parentOf(id: number): number {
    return Number(PARENT.exec(this.#text(id))?.[0]);
  }

  #setParent(id: number, parent: number): void {
    this.#change(id, (text) => text.replace(PARENT, `${parent}`));
  }

  #retype(id: number, type: string, more = ''): void {
    this.#change(id, (text) => text.replace(NAME, more).replace(TYPE, type));
  }

  #changeKids(id: number, change: (kids: string[]) => string[]): void {
    this.#change(id, (text) => replaceKids(text, change));
  }

  #change(id: number, change: (text: string) => string): void {
    this.changed.set(id, change(this.#text(id)));
  }

  #text(id: number): string {
    const { size } = this.#file;
    return this.changed.get(id) ?? (id < size ? this.#file.text(id) : this.translate(this.#notes.text(id - size)));
  }
}

/** Of the Note with this object number. A footnote that goes on in the next print of footnotes has another there. */
function toId(note: number): string {
  return `(note${String(note).padStart(8, '0')})`;
}

/** A key of a parent tree, and the number of the object that it leads to. */
type Parent = [key: number, id: number];

export function hasTags(file: PrintedPages): boolean {
  return !Number.isNaN(rootOf(file));
}

function rootOf(file: PrintedPages): number {
  return Number(/\/StructTreeRoot (\d+) 0 R/.exec(file.catalog)?.[1]);
}

function parentTreeOf(file: PrintedPages): number {
  return Number(/\/ParentTree (\d+) 0 R/.exec(file.text(rootOf(file)))?.[1]);
}

function nextKey(file: PrintedPages): number {
  return Number(NEXT_KEY.exec(file.text(rootOf(file)))?.[0]);
}

function readParents(file: PrintedPages): Parent[] {
  const [, entries = ''] = NUMS.exec(file.text(parentTreeOf(file))) ?? [];
  return Array.from(entries.matchAll(/\b(\d+) (\d+) 0 R/g), ([, key, id]) => [Number(key), Number(id)]);
}

function replaceKids(text: string, replace: (kids: string[]) => string[]): string {
  const found = KIDS.exec(maskStrings(text));
  if (!found) return text;
  const [entry, list = ''] = found;
  const kids = replace(Array.from(list.matchAll(KID), ([kid]) => kid));
  return `${text.slice(0, found.index)}\n/K [${kids.join(' ')}]${text.slice(found.index + entry.length)}`;
}
