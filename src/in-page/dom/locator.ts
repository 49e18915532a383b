/** Describes where elements are in the document, so that people find them. */
import type { ElementLocation } from '../../tag-structure.ts';
import { elementAround } from './layout-children.ts';
import { call, read, readName } from './nodes.ts';

const MAX_SELECTOR = 200;
const MAX_STEPS = 6;
/** Characters of the text and of the markup of an element that are shown. */
const MAX_SHOWN_TEXT = 60;
const MAX_SHOWN_MARKUP = 160;

/** Counts siblings once, so a locator must not be used after elements were added or removed. */
export class Locator {
  /** What selects an element among its siblings. */
  readonly #steps = new Map<Element, string>();

  locate(element: Element): ElementLocation {
    const text = (read(element, 'textContent') ?? '').replace(/\s+/g, ' ').trim().slice(0, MAX_SHOWN_TEXT);
    const shell = call(element, 'cloneNode', false) as Element;
    if (read(element as HTMLInputElement, 'type') === 'password') shell.removeAttribute('value');
    const markup = shell.outerHTML.slice(0, MAX_SHOWN_MARKUP);
    const end = `</${shell.localName}>`;
    const isWhole = markup.endsWith(end); // elements such as img have no end tag, and long markup is cut
    return {
      selector: this.#selectorFor(element),
      snippet: isWhole ? `${markup.slice(0, -end.length)}${text}${end}` : `${markup} ${text}`.trim(),
    };
  }

  #selectorFor(element: Element): string {
    const steps: string[] = [];
    for (let at: Element | null = element; at && steps.length < MAX_STEPS; at = elementAround(at)) {
      steps.unshift(this.#stepTo(at));
      if (read(at, 'id')) break;
    }
    return steps.join(' > ').slice(0, MAX_SELECTOR);
  }

  #stepTo(element: Element): string {
    const [name, id, parent] = [readName(element), read(element, 'id'), read(element, 'parentElement')];
    if (id) return `#${CSS.escape(id)}`;
    if (parent && !this.#steps.has(element)) this.#countChildren(parent);
    return this.#steps.get(element) ?? name;
  }

  /** Counts once for each parent, so that thousands of siblings do not take quadratic time. */
  #countChildren(parent: Element): void {
    for (const [name, children] of Map.groupBy(read(parent, 'children'), (child) => readName(child)))
      for (const [n, child] of children.entries())
        this.#steps.set(child, children.length > 1 ? `${name}:nth-of-type(${n + 1})` : name);
  }
}
