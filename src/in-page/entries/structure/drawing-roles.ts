/**
 * Gives drawings the role `img`, without which Chromium tags nothing of them but their text. A drawing in an element that has the role
 * takes it over with its name.
 */
import { MAX_NAME } from '../../dom/accessible-name.ts';
import { type AttributeChange, setForPrint } from './attributes.ts';
import { findOnlyDrawing, isDrawing, isOnePicture } from './images.ts';
import type { ImageStructure } from './reading.ts';
import type { ReadingOrder } from './reading-order.ts';

type Image = [element: Element, image: ImageStructure];

/** Drawings with text that would be lost are tagged only if it `tagsAll`. */
export function tagDrawings(images: Image[], order: ReadingOrder, tagsAll: boolean): void {
  const drawings = images.filter(([element]) => isDrawing(element) && (tagsAll || isOnePicture(element)));
  const changes = drawings.map(([element]) => ({ element, name: 'role', value: 'img' }));
  const isTagged = setForPrint(changes, order.roots);
  if (!isTagged) for (const [, image] of drawings) image.kind = 'wrapper';
  const wrappers = images.filter(([, { kind, name }]) => kind === 'wrapper' && name !== '' && name.length < MAX_NAME);
  tagWrapped(wrappers, order);
}

/** Tags the drawings in other elements with the role `img`, such as icons. */
function tagWrapped(wrappers: Image[], order: ReadingOrder): void {
  const found = wrappers.flatMap(([element, image]) => {
    const drawing = findOnlyDrawing(element, order);
    return drawing ? [{ image, changes: wrapperChanges(element, drawing, image.name) }] : [];
  });
  const changes = found.flatMap((each) => each.changes);
  if (setForPrint(changes, order.roots)) for (const { image } of found) image.kind = 'picture';
}

/** Moves the role and the name of an image to the drawing in it. */
function wrapperChanges(wrapper: Element, drawing: Element, label: string): AttributeChange[] {
  return [
    { element: wrapper, name: 'role', value: null },
    { element: drawing, name: 'role', value: 'img' },
    { element: drawing, name: 'aria-label', value: label },
    { element: drawing, name: 'aria-labelledby', value: null },
    { element: drawing, name: 'aria-hidden', value: null },
  ];
}
