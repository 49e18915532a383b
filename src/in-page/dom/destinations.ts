/** Lets the PDF tell where elements begin: Chromium writes a destination for each element to which a link leads. */
import type { Changes } from './changes.ts';
import { createHtml } from './create-html.ts';
import { call, read } from './nodes.ts';

export class Destinations {
  readonly #changes: Changes;
  readonly #key: string;
  readonly #holder = createHtml('div');
  readonly #fragments = new Map<Element, string>();

  /** Elements without an id get one that begins with the key. */
  constructor(key: string, changes: Changes) {
    this.#key = key;
    this.#changes = changes;
    this.#holder.style.setProperty('display', 'none', 'important');
    changes.append(read(document, 'documentElement'), this.#holder);
  }

  /** Returns the fragment of a URL that leads to the element. */
  mark(element: Element): string {
    const known = this.#fragments.get(element);
    if (known !== undefined) return known;
    const link = createHtml('a') as HTMLAnchorElement;
    link.href = `#${encodeURIComponent(this.#nameElement(element))}`; // Chromium also compares with the base of the document
    this.#holder.append(link);
    const fragment = link.hash.slice(1);
    this.#fragments.set(element, fragment);
    return fragment;
  }

  #nameElement(element: Element): string {
    const own = read(element, 'id');
    if (own) return own;
    const name = `${this.#key}${this.#fragments.size}`;
    this.#changes.setAttribute(element, 'id', name);
    return name;
  }
}

/** Whether a link to its id leads to the element. */
export function mayBeNamed(element: Element): boolean {
  const id = read(element, 'id');
  return !id || call(document, 'getElementById', id) === element;
}
