/**
 * Measures the height of a document, and fixes heights that depend on that of the window. The functions below are sent as text and
 * run in the page, so that they may use only each other.
 */
import { Type } from 'typebox';
import { MAX_LENGTH_PX, shape } from '../devtools/evaluate.ts';

const KEY = 'platen.heights';
/** Evaluates to the height of the document. */
export const MEASURE = `(${measure})()`;
/**
 * Evaluate it in a window of the height for which the document is designed, and then `FIX_HEIGHTS` in a window of another height.
 */
export const NOTE_HEIGHTS = `(${noteHeights})(${JSON.stringify(KEY)})`;
/** Elements that follow the height of the window keep their noted height. Elements that would then hide content may grow. */
export const FIX_HEIGHTS = `(() => { ${[kept, fixHeights].join(' ')} fixHeights(${JSON.stringify(KEY)}) })()`;

/** What `MEASURE` evaluates to. Lengths are in CSS pixels. */
export const DOCUMENT_HEIGHT = shape(
  Type.Object({
    height: Type.Integer({ minimum: 0, maximum: MAX_LENGTH_PX }),
    /** Height that boxes hide, because they scroll or cut off their content. */
    hidden: Type.Number({ minimum: 0 }),
  }),
);

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageElement {
  scrollHeight: number;
  clientHeight: number;
  parentElement: PageElement | null;
  style?: { setProperty(name: string, value: string, priority: 'important'): void };
  getBoundingClientRect(): { height: number };
  computedStyleMap(): { get(property: string): unknown };
}
declare const document: {
  documentElement: PageElement | null;
  body: PageElement | null;
  querySelectorAll(selector: '*'): Iterable<PageElement>;
};

interface Noted {
  /** The values of each property by element. */
  values: Map<PageElement, string[]>;
  properties: string[];
  /** Elements that hide a part of their content, and their ancestors. */
  hiding: Set<PageElement>;
}

function measure(): { height: number; hidden: number } {
  const { documentElement: root, body } = document;
  const height = Math.max(root?.getBoundingClientRect().height ?? 0, root?.scrollHeight ?? 0, body?.scrollHeight ?? 0);
  let hidden = 0;
  for (const element of document.querySelectorAll('*')) {
    const rest = element.scrollHeight - element.clientHeight;
    if (rest <= 1 || element === root || element === body) continue;
    if (String(element.computedStyleMap().get('overflow-y')) !== 'visible') hidden += rest;
  }
  return { height: Math.ceil(height), hidden };
}

function noteHeights(key: string): void {
  const sides = ['top', 'bottom'];
  const properties = [
    'height',
    'min-height',
    'max-height',
    'width',
    'min-width',
    'max-width',
    'font-size',
    'line-height',
    'flex-basis',
  ];
  properties.push(...sides, ...sides.flatMap((side) => [`margin-${side}`, `padding-${side}`]), 'row-gap', 'grid-template-rows');
  const noted: Noted = { values: new Map(), properties, hiding: new Set() };
  for (const element of document.querySelectorAll('*')) {
    const style = element.computedStyleMap();
    noted.values.set(
      element,
      properties.map((property) => String(style.get(property))),
    );
    if (element.scrollHeight <= element.clientHeight + 1 || String(style.get('overflow-y')) === 'visible') continue;
    for (let around: PageElement | null = element; around; around = around.parentElement) noted.hiding.add(around);
  }
  (globalThis as unknown as Record<symbol, Noted>)[Symbol.for(key)] = noted;
}

/** Returns the declarations that keep a value. */
function kept(property: string, value: string, grows: boolean): Array<[property: string, value: string]> {
  if (grows && property === 'max-height') return [[property, 'none']];
  return grows && property === 'height'
    ? [
        ['height', 'auto'],
        ['min-height', value],
      ]
    : [[property, value]];
}

function fixHeights(key: string): void {
  const noted = (globalThis as unknown as Record<symbol, Noted | undefined>)[Symbol.for(key)];
  if (!noted) return;
  const { values, properties, hiding } = noted;
  const changes: Array<[element: PageElement, property: string, value: string]> = [];
  for (const [element, before] of values) {
    const now = element.computedStyleMap();
    const changed = properties.flatMap((property, n) =>
      String(now.get(property)) === before[n] ? [] : kept(property, before[n] ?? '', hiding.has(element)),
    );
    changes.push(...changed.map(([property, value]): [PageElement, string, string] => [element, property, value]));
  }
  // The height of the sheet follows these elements, and not the other way round.
  for (const element of [document.documentElement, document.body])
    if (element) changes.push([element, 'height', 'auto'], [element, 'min-height', '0']);
  // All values are read before the first change, because each change causes a new layout.
  for (const [element, property, value] of changes) element.style?.setProperty(property, value, 'important');
}
