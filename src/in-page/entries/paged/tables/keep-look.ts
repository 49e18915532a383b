/** Keeps how rows look when they are moved to another section, whose rules are others. */
import { adoptStyles } from '../../../dom/adopt-styles.ts';
import type { Changes } from '../../../dom/changes.ts';
import { setLook, TRANSPARENT } from '../../../dom/create-html.ts';
import { read } from '../../../dom/nodes.ts';
import { selectIn } from '../../../dom/roots.ts';

const SIDES = ['top', 'right', 'bottom', 'left'];
/** Properties whose computed values do not depend on where an element is laid out. */
const PROPERTIES = [
  ...['color', 'background-color', 'background-image', 'background-size', 'background-repeat', 'opacity', 'text-shadow'],
  ...['font-family', 'font-size', 'font-style', 'font-weight', 'font-stretch', 'font-variant-caps', 'font-variant-numeric'],
  ...['line-height', 'letter-spacing', 'word-spacing', 'text-align', 'text-indent', 'text-transform', 'vertical-align'],
  ...['text-decoration-line', 'text-decoration-style', 'text-decoration-color', 'white-space-collapse', 'text-wrap-mode'],
  ...SIDES.flatMap((side) => ['width', 'style', 'color'].map((part) => `border-${side}-${part}`)),
  ...SIDES.map((side) => `padding-${side}`),
  ...['counter-reset', 'counter-increment', 'counter-set'],
];
/** Their content is a custom property of their element. */
const PSEUDO_ELEMENTS = ['before', 'after'];
const GENERATED = PSEUDO_ELEMENTS.map(
  (name) => `[style*="--platen-${name}:"]::${name} { content: var(--platen-${name}) !important }`,
).join('\n');
/** Of the rows that are moved at once, and what is in them. */
const MAX_ELEMENTS = 500;

type Look = Record<string, string>;

/** `move` puts the rows elsewhere, next to the `others`. The background of their section goes with them. */
export function keepLook(
  rows: readonly HTMLTableRowElement[],
  others: readonly HTMLTableRowElement[],
  changes: Changes,
  move: () => void,
): void {
  const all = [...rows, ...others];
  const elements = [...all, ...all.flatMap((row) => [...selectIn<HTMLElement>(row, '*')])].slice(0, MAX_ELEMENTS);
  const before = elements.map(readLook);
  for (const [n, row] of rows.entries()) addBackground(before[n], read(row, 'parentElement'));
  move();
  const changed = elements.map((element, n) => differences(before[n] ?? {}, readLook(element)));
  for (const [n, element] of elements.entries()) setLook(element, changed[n] ?? {});
  adoptStyles(GENERATED, changes);
}

function readLook(element: Element): Look {
  const style = getComputedStyle(element);
  return Object.fromEntries([
    ...PROPERTIES.map((property) => [property, style.getPropertyValue(property)]),
    ...PSEUDO_ELEMENTS.map((name) => [`--platen-${name}`, getComputedStyle(element, `::${name}`).content]),
  ]);
}

function addBackground(look: Look | undefined, section: Element | null): void {
  if (look?.['background-color'] === TRANSPARENT && section) look['background-color'] = getComputedStyle(section).backgroundColor;
}

function differences(wanted: Look, found: Look): Look {
  return Object.fromEntries(Object.entries(wanted).filter(([property, value]) => value !== found[property]));
}
