/**
 * Lists the elements of the document in the order in which assistive technology reads them, which is that of the tags in the PDF: slots
 * have the elements that are assigned to them, and elements come after the content of the one that owns them (`aria-owns`).
 */
import { layoutChildren } from '../../dom/layout-children.ts';
import { call, findClosest, isElement, read, readAttribute, readName } from '../../dom/nodes.ts';
import { openRoots, type Root, selectIn } from '../../dom/roots.ts';

export class ReadingOrder {
  /** The document, and the open shadow roots in it. */
  readonly roots = openRoots();
  readonly elements: Iterable<Element>;
  /** The parents of elements in shadow roots and slots, whose `parentElement` is another or none. */
  readonly #parents = new Map<Node, Element>();

  constructor() {
    const owners = new Map(this.roots.flatMap((root) => [...findOwners(root)]));
    const isPlain = this.roots.length === 1 && owners.size === 0;
    this.elements = isPlain ? selectIn<Element>(document, '*') : this.#walk(owners); // the selector is much faster
  }

  parentOf(node: Node): Element | null {
    return this.#parents.get(node) ?? read(node, 'parentElement');
  }

  /** Whether the element or one around it matches a selector, also around shadow roots and slots. */
  isWithin(element: Element | null | undefined, selector: string): boolean {
    if (!element) return false;
    if (findClosest(element, selector)) return true;
    let at: Element | null = this.#parents.size ? element : null;
    while (at && !this.#parents.has(at)) at = read(at, 'parentElement');
    return at !== null && this.isWithin(this.#parents.get(at), selector);
  }

  #walk(owners: Map<Element, Element | undefined>): Element[] {
    const owned = Map.groupBy(owners.keys(), (element) => owners.get(element));
    const found: Element[] = [];
    const waiting: Element[] = [read(document, 'documentElement')];
    for (let element = waiting.pop(); element; element = waiting.pop()) {
      found.push(element);
      const children = layoutChildren(element).filter(isElement);
      for (const child of children) if (read(child, 'parentElement') !== element) this.#parents.set(child, element);
      const kids = children.filter((child) => !owners.has(child));
      for (const next of [...kids, ...(owned.get(element) ?? [])].reverse()) waiting.push(next);
    }
    return found;
  }
}

/**
 * Returns the owner of each owned element, unless the owner is in it. Where Chromium tags an element with several owners cannot be told,
 * so it gets none here and is left out: nothing is then named after it.
 */
function findOwners(root: Root): Map<Element, Element | undefined> {
  const owners = new Map<Element, Element | undefined>();
  for (const owner of selectIn<Element>(root, '[aria-owns]')) {
    if (!mayOwn(owner)) continue;
    const ids = (readAttribute(owner, 'aria-owns') ?? '').split(/\s+/).filter(Boolean);
    const elements = new Set(ids.map((id) => call(root, 'getElementById', id)).filter((element) => element !== null));
    const own = [...elements].filter((element) => !call(element, 'contains', owner));
    for (const element of own) owners.set(element, owners.has(element) ? undefined : owner);
  }
  return owners;
}

/** Whether Chromium lets an element own others. */
function mayOwn(owner: Element): boolean {
  const isAtomic = /^(?:input|textarea|select|br|area|map|i?frame)$/.test(readName(owner));
  return !isAtomic && !findClosest(owner, '[aria-hidden="true" i], [role="img" i], [role="image" i]');
}
