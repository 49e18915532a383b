/** Finds the element that makes a document wider than its page, and fixes the width that it follows. */
import { elementName } from '../../dom/names.ts';
import { call, measureBox, read } from '../../dom/nodes.ts';
import { selectIn } from '../../dom/roots.ts';

/** Elements that are looked at. */
const MAX_ELEMENTS = 20_000;

/** Returns the name of the outermost element that reaches as far as the document. Ask it in a window that is as wide as the page. */
export function findWidest(): string {
  const [body, root] = [read(document, 'body'), read(document, 'documentElement')];
  const reach = root.scrollWidth - 1;
  let looked = 0;
  let widest: Element | undefined; // whose text reaches as far
  for (const element of body ? [body, ...selectIn<Element>(body, '*')] : []) {
    if (looked++ === MAX_ELEMENTS || !call(element, 'checkVisibility')) continue;
    const { left, right } = measureBox(element);
    if (right + scrollX >= reach) return elementName(element);
    if (left + scrollX + read(element, 'scrollWidth') >= reach) widest = element;
  }
  return widest ? elementName(widest) : '';
}

/** The document keeps this width on wider pages, which thereby have room for what is wider than the document. */
export function keepWidth(px: number): null {
  read(document, 'documentElement').style.setProperty('width', `${px}px`, 'important');
  return null;
}
