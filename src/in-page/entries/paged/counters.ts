/** Computes the CSS counters of elements (css-lists-3, 4), which no interface of a browser tells. */
import { writeNumber } from '../../contract/counter-styles.ts';
import { call, read } from '../../dom/nodes.ts';
import { findStyled, type Pseudo, readProperty } from './styled-elements.ts';

/** The counters at an element: the values of each, the innermost last. */
export type Snapshot = ReadonlyMap<string, readonly number[]>;

/** A counter, which exists within the element that holds it. */
interface Scope {
  holder: Element;
  value: number;
}

const CHANGES = /counter-(?:reset|increment|set)/;
const PAIR = /(-?[a-z_][\w-]*)(?:\s+(-?\d+))?/gi;
/** Counters that belong to pages. */
const OF_PAGES = new Set(['page', 'pages', 'none']);

/** Returns the counters at each of the elements, after those that its `::before` changes. */
export function computeCounters(interesting: ReadonlySet<Element>): Map<Element, Snapshot> {
  const snapshots = new Map<Element, Snapshot>();
  const counters = new Map<string, Scope[]>();
  for (const element of inOrder(new Set([...findStyled(CHANGES, 'counter-'), ...interesting]))) {
    for (const scopes of counters.values())
      while (scopes.length && !call(scopes.at(-1)?.holder as Element, 'contains', element)) scopes.pop();
    change(counters, element, read(element, 'parentElement') ?? element);
    change(counters, element, element, '::before');
    if (interesting.has(element))
      snapshots.set(element, new Map([...counters].map(([name, scopes]) => [name, scopes.map(({ value }) => value)])));
  }
  return snapshots;
}

/** The text of `counter()` or `counters()`. */
export function writeCounter(name: string, args: readonly string[], snapshot: Snapshot | undefined): string {
  const values = snapshot?.get(args[0] ?? '') ?? [0];
  const [separator, style] = name.endsWith('s') ? [args[1] ?? '', args[2]] : [undefined, args[1]];
  const shown = separator === undefined ? values.slice(-1) : values;
  return shown.map((value) => writeNumber(value, style ?? 'decimal')).join(separator?.replace(/^["']|["']$/g, '') ?? '');
}

function change(counters: Map<string, Scope[]>, element: Element, holder: Element, pseudo?: Pseudo): void {
  if (pseudo && readProperty(element, 'content', pseudo) === 'none') return;
  for (const [name, value] of pairs(element, 'counter-reset', pseudo, 0)) begin(counters, name, holder, value);
  for (const [name, value] of pairs(element, 'counter-increment', pseudo, 1)) {
    const scope = innermost(counters, name) ?? begin(counters, name, holder, 0);
    scope.value += value;
  }
  for (const [name, value] of pairs(element, 'counter-set', pseudo, 0))
    (innermost(counters, name) ?? begin(counters, name, holder, 0)).value = value;
}

function innermost(counters: Map<string, Scope[]>, name: string): Scope | undefined {
  return counters.get(name)?.at(-1);
}

/** A counter replaces that of an earlier sibling. */
function begin(counters: Map<string, Scope[]>, name: string, holder: Element, value: number): Scope {
  const scopes = counters.get(name) ?? [];
  counters.set(name, scopes);
  if (scopes.at(-1)?.holder === holder) scopes.pop();
  const scope = { holder, value };
  scopes.push(scope);
  return scope;
}

function pairs(element: Element, property: string, pseudo: Pseudo | undefined, without: number): Array<[string, number]> {
  const value = readProperty(element, property, pseudo);
  if (!value || value === 'none') return [];
  const found = Array.from(value.matchAll(PAIR), ([, name = '', number]): [string, number] => [name, Number(number ?? without)]);
  return found.filter(([name]) => !OF_PAGES.has(name));
}

function inOrder(elements: ReadonlySet<Element>): Element[] {
  return [...call(document, 'querySelectorAll', '*')].filter((element) => elements.has(element)); // sorting takes quadratic time
}
