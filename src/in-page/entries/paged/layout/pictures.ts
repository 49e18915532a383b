/** Finds pictures, boxes in lines, and diagrams that a page break may cut. */
import type { RelativeBox } from '../../../contract/layout.ts';
import { isMatch } from '../../../dom/built-ins.ts';
import { call, findFirst, matches, measureBox, read } from '../../../dom/nodes.ts';
import { selectIn } from '../../../dom/roots.ts';
import { isShown } from '../../../dom/visibility.ts';
import { findStyled, type StyledElement } from '../styled-elements.ts';
import { isMonolithic, MONOLITHIC } from './break-causes.ts';
import { findFlowTexts } from './covered-text.ts';
import { isFixed } from './inner-links.ts';

type Styled = HTMLElement | SVGElement;

export const PICTURES = 'img, svg, canvas, video, iframe';
const INLINE_BOX = /^inline-/;
/** The part of a page that a picture or a box must have to be cut. The heights of pages may differ. */
const TALL = 0.6;
/** What is lower is no diagram, and what is higher is a page of its own. */
const [MIN_DIAGRAM_PX, HIGHEST_DIAGRAM] = [60, 0.9];
/** Boxes with fewer parts that have a position are no diagrams. */
const MIN_PARTS = 3;
export const MARKED = '[role~="img"], [role^="graphics-"]';

/** Finds pictures and frames that do not fit on a page, because Chromium does not cut others. */
export function findTallPictures(heightPx: number): Styled[] {
  const pictures = [...selectIn<Styled>(document, PICTURES)];
  return pictures.filter((each) => measureBox(each).height > heightPx * TALL && isShown(each) && !isFixed(each));
}

/** Finds boxes in lines that do not fit on a page. Chromium cuts them anywhere, also through a line of their text. */
export function findTallInlines(heightPx: number): HTMLElement[] {
  return findInlines().filter((each) => measureBox(each).height > heightPx * TALL && isShown(each) && !isFixed(each));
}

/** Finds boxes in lines. */
export function findInlines(): HTMLElement[] {
  const styled = findStyled(({ display }) => isMatch(INLINE_BOX, display), 'inline-');
  return styled.filter((each) => isMatch(INLINE_BOX, getComputedStyle(each).display) && !matches(each, MONOLITHIC));
}

/** Finds diagrams of boxes, which are divided like text, with their sizes. */
export function findDiagrams(
  styled: readonly StyledElement[],
  heightPx: number,
): Array<{ element: HTMLElement; paints: RelativeBox[] }> {
  const parts = new Map<Element, number>();
  for (const { element, style } of styled) {
    const around = style.position === 'absolute' ? read(element, 'offsetParent') : null;
    if (around) parts.set(around, (parts.get(around) ?? 0) + 1);
  }
  const drawn = [...parts].flatMap(([box, count]) => (count >= MIN_PARTS && isDrawing(box) ? [box] : []));
  const boxes = [...new Set([...selectIn<Element>(document, MARKED), ...drawn])].filter((box) => box instanceof HTMLElement);
  return boxes.flatMap((element) => {
    const { width, height } = measureBox(element);
    const isDiagram = height >= MIN_DIAGRAM_PX && height <= heightPx * HIGHEST_DIAGRAM && isDivisible(element);
    return isDiagram ? [{ element, paints: [{ x: 0, y: 0, width, height }] }] : [];
  });
}

/** Whether a box has a height of its own, and no text but that of its parts. */
function isDrawing(box: Element): boolean {
  const { top, bottom } = measureBox(box);
  const hasHeight = String(call(box, 'computedStyleMap').get('height')) !== 'auto';
  return hasHeight && !matches(box, 'html, body') && findFlowTexts(box, { top, bottom }).next().done === true;
}

function isDivisible(box: HTMLElement): boolean {
  const style = getComputedStyle(box);
  const isWhole = isMonolithic(box, style) || isMatch(/^inline/, style.display);
  return !isWhole && isShown(box) && !isFixed(box) && !isOnePicture(box);
}

/** Whether the box has the height of a picture in it, which is not divided. */
function isOnePicture(box: HTMLElement): boolean {
  const picture = findFirst(box, MONOLITHIC);
  return picture !== null && measureBox(picture).height > measureBox(box).height * 0.9;
}
