/**
 * Lists the elements of a document in the order in which assistive technology reads them, which is that of the tags in the PDF: slots
 * have the elements that are assigned to them, and elements come after the content of the one that owns them (`aria-owns`). The
 * functions run in the page, sent as text.
 */

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as in document-structure.ts
type PageElement = any;
declare const document: PageElement;
declare const builtIn: (node: PageElement) => PageElement;
declare const PARENTS: Map<PageElement, PageElement>;

export const ROOT_FUNCTIONS = [rootsOf];

export const CHILD_FUNCTIONS = [childNodesOf];

export const READING_ORDER_FUNCTIONS = [...ROOT_FUNCTIONS, elementsOf, ownersIn, mayOwn];

/** Adds the document and the shadow roots in it to `roots`, and the parents of elements in shadow roots and slots to `PARENTS`. */
function elementsOf(roots: PageElement[]): Iterable<PageElement> {
  roots.push(...rootsOf(document));
  const owned = new Map<PageElement, PageElement[]>();
  const isOwned = new Set<PageElement>();
  for (const root of roots) ownersIn(root, owned, isOwned);
  if (roots.length === 1 && isOwned.size === 0) return builtIn(document).querySelectorAll('*'); // much faster
  const found: PageElement[] = [];
  const waiting = [builtIn(document).documentElement];
  for (let element = waiting.pop(); element; element = waiting.pop()) {
    found.push(element);
    const children = childNodesOf(element).filter((child) => builtIn(child).nodeType === 1);
    for (const child of children) if (builtIn(child).parentElement !== element) PARENTS.set(child, element);
    const kids = children.filter((child) => !isOwned.has(child));
    for (const next of [...kids, ...(owned.get(element) ?? [])].reverse()) waiting.push(next);
  }
  return found;
}

/** The root and the open shadow roots in it. */
function rootsOf(root: PageElement): PageElement[] {
  const shadows = [...builtIn(root).querySelectorAll('*')].flatMap((element) => builtIn(element).shadowRoot ?? []);
  return [root, ...shadows.flatMap(rootsOf)];
}

/**
 * Finds what each element owns, unless it is in that. Where Chromium tags an element with several owners cannot be told, so it gets
 * none here and is left out: nothing is then named after it.
 */
function ownersIn(root: PageElement, owned: Map<PageElement, PageElement[]>, isOwned: Set<PageElement>): void {
  const owners = [...builtIn(root).querySelectorAll('[aria-owns]')].filter(mayOwn);
  const claims = new Map<PageElement, PageElement | undefined>();
  for (const owner of owners) {
    const ids: string[] = builtIn(owner).getAttribute('aria-owns').split(/\s+/).filter(Boolean);
    const elements = new Set(ids.map((id) => builtIn(root).getElementById(id)));
    const own = [...elements].filter((element) => element && !builtIn(element).contains(owner));
    for (const element of own) claims.set(element, claims.has(element) ? undefined : owner);
  }
  for (const [element, owner] of claims) {
    isOwned.add(element);
    if (!owner) continue;
    const own = owned.get(owner) ?? [];
    owned.set(owner, own);
    own.push(element);
  }
}

/** Whether Chromium lets an element own others. */
function mayOwn(owner: PageElement): boolean {
  const isAtomic = /^(?:input|textarea|select|br|area|map|i?frame)$/.test(builtIn(owner).localName);
  return !isAtomic && !builtIn(owner).closest('[aria-hidden="true" i], [role="img" i], [role="image" i]');
}

/** The children of a node as they are laid out: those of its shadow root, and the nodes that are assigned to a slot. */
function childNodesOf(node: PageElement): PageElement[] {
  const { shadowRoot, localName } = builtIn(node);
  const assigned = localName === 'slot' ? node.assignedNodes() : [];
  return assigned.length ? assigned : [...(shadowRoot ?? builtIn(node)).childNodes];
}
