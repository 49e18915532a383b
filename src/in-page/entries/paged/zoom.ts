/** The CSS property `zoom`, which enlarges boxes and lengths, and is not in the lengths that computed styles have. */
import { setLook } from '../../dom/create-html.ts';
import { read } from '../../dom/nodes.ts';

/** Enlarges the body instead of the root, which is around what is painted and would enlarge the margins of pages, too. */
export function moveZoom(): void {
  const root = read(document, 'documentElement') as HTMLElement;
  const { zoom } = getComputedStyle(root);
  if (zoom === '1') return;
  setLook(read(document, 'body'), { zoom: `${zoomOf(read(document, 'body'))}` });
  setLook(root, { zoom: '1' });
}

/** By how much an element is enlarged. */
export function zoomOf(element: Element): number {
  let zoom = 1;
  for (let each: Element | null = element; each; each = read(each, 'parentElement'))
    zoom *= Number(getComputedStyle(each).zoom) || 1;
  return zoom;
}
