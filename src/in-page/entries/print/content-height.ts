/** Measures the height of a document, and fixes heights that depend on that of the window. */
import type { DocumentHeight } from '../../contract/questions.ts';

const SIDES = ['top', 'bottom'];
/** Properties that may depend on the height of the window. */
const PROPERTIES = [
  ...['height', 'min-height', 'max-height', 'width', 'min-width', 'max-width', 'font-size', 'line-height', 'flex-basis'],
  ...SIDES,
  ...SIDES.flatMap((side) => [`margin-${side}`, `padding-${side}`]),
  ...['row-gap', 'grid-template-rows'],
];

type Declaration = [property: string, value: string];

/** The values of `PROPERTIES` by element. */
let noted = new Map<HTMLElement, string[]>();
/** Elements that hide a part of their content, and their ancestors. */
let hiding = new Set<Element>();

export function measureHeight(): DocumentHeight {
  const { documentElement: root, body } = document;
  const height = Math.max(root?.getBoundingClientRect().height ?? 0, root?.scrollHeight ?? 0, body?.scrollHeight ?? 0);
  let hidden = 0;
  for (const element of document.querySelectorAll('*')) {
    const rest = hiddenHeight(element);
    if (rest > 1 && element !== root && element !== body) hidden += rest;
  }
  return { height: Math.ceil(height), hidden };
}

function hiddenHeight(element: Element): number {
  const rest = element.scrollHeight - element.clientHeight;
  return rest > 1 && String(element.computedStyleMap().get('overflow-y')) !== 'visible' ? rest : 0;
}

/** Ask it in a window of the height for which the document is designed, and then `fixHeights` in a window of another height. */
export function noteHeights(): null {
  noted = new Map();
  hiding = new Set();
  for (const element of document.querySelectorAll<HTMLElement>('*')) {
    const style = element.computedStyleMap();
    noted.set(element, readProperties(style));
    if (hiddenHeight(element) <= 1) continue;
    for (let around: Element | null = element; around; around = around.parentElement) hiding.add(around);
  }
  return null;
}

/** Elements that follow the height of the window keep their noted height. Elements that would then hide content may grow. */
export function fixHeights(): null {
  const changes: Array<[element: HTMLElement, ...Declaration]> = [];
  for (const [element, before] of noted) {
    const now = readProperties(element.computedStyleMap());
    const changed = PROPERTIES.flatMap((property, n) =>
      now[n] === before[n] ? [] : declarationsToKeep(property, before[n] ?? '', hiding.has(element)),
    );
    for (const declaration of changed) changes.push([element, ...declaration]);
  }
  // The height of the sheet follows these elements, and not the other way round.
  for (const element of [document.documentElement, document.body])
    if (element) changes.push([element, 'height', 'auto'], [element, 'min-height', '0']);
  // All values are read before the first change, because each change causes a new layout.
  for (const [element, property, value] of changes) element.style?.setProperty(property, value, 'important');
  return null;
}

function readProperties(style: StylePropertyMapReadOnly): string[] {
  return PROPERTIES.map((property) => String(style.get(property)));
}

/** Returns the declarations that keep a value. */
function declarationsToKeep(property: string, value: string, grows: boolean): Declaration[] {
  if (grows && property === 'max-height') return [[property, 'none']];
  if (!grows || property !== 'height') return [[property, value]];
  return [
    ['height', 'auto'],
    ['min-height', value],
  ];
}
