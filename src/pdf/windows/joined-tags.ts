/**
 * Joins the structure trees and bookmarks of windows, as `JoinedWindows` joins their pages. The first page of a window is also in the window
 * before, and what is marked on both prints of it belongs to the same elements.
 */
import { setImmediate } from 'node:timers/promises';
import type { PrintedPages } from '../edit/printed-pages.ts';
import { JoinedOutline } from './joined-outline.ts';
import {
  type Element,
  type JoinedRange,
  type Kid,
  type Mark,
  type NewObjects,
  type Node,
  readWindowTags,
  type TaggedPage,
} from './window-tags.ts';

/** Lets others run after some elements, which take a few milliseconds. */
class Turns {
  #elements = 0;

  take(): Promise<void> | undefined {
    return ++this.#elements % ELEMENTS_AT_ONCE === 0 ? setImmediate() : undefined;
  }
}

const ELEMENTS_AT_ONCE = 500;

export class JoinedTags {
  #root: Element | undefined;
  /** What marks the content of the page after the last one. */
  #next: Node[] = [];
  readonly outline = new JoinedOutline();

  /** Adds the tags of the pages after those before. Returns false if they do not continue the tree. */
  async add(file: PrintedPages, range: JoinedRange): Promise<boolean> {
    const tags = await readWindowTags(file, range);
    if (!tags) return false;
    if (this.#root && !matchOwners(this.#next, tags.first)) return false;
    const root = await join(tags.root, new Turns());
    this.#root ??= root;
    this.#next = tags.next;
    this.outline.add(file, range, tags.nodes);
    return root === this.#root;
  }

  /** Writes the tree of the pages, by their index in the document. Returns the numbers of its elements, and of its root. */
  async write(pages: ReadonlyMap<number, TaggedPage>, objects: NewObjects): Promise<WrittenTags | undefined> {
    return this.#root && new TagWriter(pages, objects).write(this.#root);
  }
}

/** Gives elements to the owners of content that they own already. Returns false if the two prints of a page have other owners. */
function matchOwners(known: readonly Node[], owners: readonly Node[]): boolean {
  if (!known.length || known.length !== owners.length) return false;
  const matched = new Map<Node, Node>();
  return owners.every((owner, index) => {
    let [one, other]: Array<Node | undefined> = [owner, known[index]];
    for (; one && other && !matched.has(one); [one, other] = [one.parent, other.parent]) {
      if (one.entries !== other.entries) return false;
      matched.set(one, other);
      one.element = other.element;
    }
    return one && other ? matched.get(one) === other : one === other;
  });
}

/** Returns the element of a node, with all that is new. Undefined if nothing of it is on the pages. */
async function join(node: Node, turns: Turns): Promise<Element | undefined> {
  const kids: Kid[] = [];
  for (const kid of node.kids) {
    const joined = 'page' in kid ? kid : await join(kid, turns);
    if (joined) kids.push(joined);
  }
  await turns.take();
  const { element } = node;
  if (!element) {
    if (kids.length) node.element = { entries: node.entries, kids };
    return node.element;
  }
  const known = new Set(element.kids);
  const isNew = (kid: Kid) => !known.has(kid);
  // What repeats after the new elements, such as the foot of a table, stays after them.
  const end = kids.findLastIndex((kid) => 'kids' in kid && isNew(kid)) + 1;
  const repeated = kids.slice(end).find((kid) => !isNew(kid));
  const at = repeated ? element.kids.indexOf(repeated) : element.kids.length;
  const [before, after] = [element.kids.slice(0, at), element.kids.slice(at)];
  element.kids = [...before, ...kids.slice(0, end).filter(isNew), ...after, ...kids.slice(end).filter(isNew)];
  return element;
}

export interface WrittenTags {
  /** The number of the root. */
  root: number;
  /** Those of the elements. */
  ids: ReadonlyMap<Element, number>;
}

/** The first entries, which Chromium writes before the place of an element. */
const TYPE = /^\/Type \/StructElem\n\/S \/\w+/;
const ID = /\n\/ID (\((?:[^\\()]|\\[\s\S])*\)|<[\dA-F]*>)/;

class TagWriter {
  readonly #pages: ReadonlyMap<number, TaggedPage>;
  readonly #objects: NewObjects;
  readonly #turns = new Turns();
  readonly #ids = new Map<Element, number>();
  readonly #parents = new Map<number, string | number[]>();
  readonly #names: Array<[name: string, id: number]> = [];

  constructor(pages: ReadonlyMap<number, TaggedPage>, objects: NewObjects) {
    this.#pages = pages;
    this.#objects = objects;
  }

  async write(top: Element): Promise<WrittenTags | undefined> {
    const root = this.#objects.newId();
    const id = await this.#writeElement(top, root);
    if (id === undefined) return undefined;
    const keys = [...this.#parents].sort(([one], [other]) => one - other);
    const nums = keys.map(([key, owners]) => `${key} ${typeof owners === 'string' ? owners : this.#writeOwners(owners)}`);
    const names = this.#names.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, element]) => `${name} ${element} 0 R`);
    const tree = `/ParentTree <</Nums [${nums.join('\n')}]>>${names.length ? `\n/IDTree <</Names [${names.join('\n')}]>>` : ''}`;
    this.#objects.put(
      root,
      `<</Type /StructTreeRoot\n/K ${id} 0 R\n/ParentTreeNextKey ${(keys.at(-1)?.[0] ?? -1) + 1}\n${tree}>>`,
    );
    return { root, ids: this.#ids };
  }

  #writeOwners(owners: readonly number[]): string {
    const id = this.#objects.newId();
    this.#objects.put(id, `[${Array.from(owners, (owner) => (owner ? `${owner} 0 R` : 'null')).join(' ')}]`);
    return `${id} 0 R`;
  }

  /** Returns undefined for an element that marks nothing on the pages. */
  async #writeElement(element: Element, parent: number): Promise<number | undefined> {
    await this.#turns.take();
    const id = this.#objects.newId();
    const page = element.kids.map((kid) => this.#pageOf(kid)).find((found) => found !== undefined);
    const written: Array<string | number | undefined> = [];
    for (const kid of element.kids)
      written.push('page' in kid ? this.#writeMark(kid, id, page) : await this.#writeElement(kid, id));
    const kids = written.flatMap((kid) => (typeof kid === 'number' ? `${kid} 0 R` : (kid ?? [])));
    if (!kids.length) return undefined;
    this.#ids.set(element, id);
    const [, name] = ID.exec(element.entries) ?? [];
    if (name !== undefined) this.#names.push([name, id]);
    const [only, ...others] = kids;
    const K = others.length ? `[${kids.join(' ')}]` : only;
    const place = `\n/P ${parent} 0 R${page ? `\n/Pg ${page.id} 0 R` : ''}\n/K ${K}`;
    this.#objects.put(id, `<<${element.entries.replace(TYPE, (type) => type + place)}>>`);
    return id;
  }

  /** The page of marked content. */
  #pageOf(kid: Kid): TaggedPage | undefined {
    return 'page' in kid && kid.kind === 'content' ? this.#pages.get(kid.page) : undefined;
  }

  #writeMark(kid: Mark, owner: number, ofElement: TaggedPage | undefined): string | undefined {
    const page = this.#pages.get(kid.page);
    if (!page) return undefined;
    if (kid.kind === 'annotation') {
      const annotation = page.annotations[kid.number];
      if (!annotation) return undefined;
      this.#parents.set(annotation.key, `${owner} 0 R`);
      return `<</Type /OBJR\n/Obj ${annotation.id} 0 R\n/Pg ${page.id} 0 R>>`;
    }
    const mcid = page.mcids[kid.number];
    if (mcid === undefined) return undefined;
    const owners = this.#parents.get(page.key) ?? [];
    if (typeof owners !== 'string') owners[mcid] = owner;
    this.#parents.set(page.key, owners);
    return page === ofElement ? String(mcid) : `<</Type /MCR\n/Pg ${page.id} 0 R\n/MCID ${mcid}>>`;
  }
}
