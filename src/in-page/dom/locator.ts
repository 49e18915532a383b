/** Describes where elements are in the document, so that people find them. */
import type { ElementLocation } from '../../tag-structure.ts';
import { builtIn } from './built-ins.ts';

const MAX_SELECTOR = 200;
const MAX_STEPS = 6;
/** Characters of the text and of the markup of an element that are shown. */
const MAX_SHOWN_TEXT = 60;
const MAX_SHOWN_MARKUP = 160;

/** The number of children of a parent by element name, and the index of each child among those with its name. */
interface Siblings {
  counts: Map<string, number>;
  indexes: Map<Element, number>;
}

/** Counts siblings once, so a locator must not be used after elements were added or removed. */
export class Locator {
  readonly #siblings = new Map<Element, Siblings>();

  locate(element: Element): ElementLocation {
    const text = (builtIn(element).textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, MAX_SHOWN_TEXT);
    const shell = builtIn(element).cloneNode(false) as Element;
    if ((builtIn(element) as HTMLInputElement).type === 'password') shell.removeAttribute('value');
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
    for (let at: Element | null = element; at && steps.length < MAX_STEPS; at = elementOutside(at)) {
      steps.unshift(this.#stepTo(at));
      if (builtIn(at).id) break;
    }
    return steps.join(' > ').slice(0, MAX_SELECTOR);
  }

  #stepTo(element: Element): string {
    const { localName: name, id, parentElement: parent } = builtIn(element);
    if (id) return `#${CSS.escape(id)}`;
    if (!parent) return name;
    const { counts, indexes } = this.#siblings.get(parent) ?? this.#countSiblings(parent);
    return (counts.get(name) ?? 0) > 1 ? `${name}:nth-of-type(${indexes.get(element)})` : name;
  }

  /** Counts once for each parent, so that thousands of siblings do not take quadratic time. */
  #countSiblings(parent: Element): Siblings {
    const siblings: Siblings = { counts: new Map(), indexes: new Map() };
    for (const child of builtIn(parent).children) {
      const index = (siblings.counts.get(builtIn(child).localName) ?? 0) + 1;
      siblings.counts.set(builtIn(child).localName, index);
      siblings.indexes.set(child, index);
    }
    this.#siblings.set(parent, siblings);
    return siblings;
  }
}

/** Returns the host of an element directly in a shadow root. */
function elementOutside(element: Element): Element | null {
  return builtIn(element).parentElement ?? (builtIn(builtIn(element).getRootNode()) as Partial<ShadowRoot>).host ?? null;
}
