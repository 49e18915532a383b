/** Tells whether elements are shown. */
import { call, measureBox, read, readName } from './nodes.ts';

export function isShown(element: Element): boolean {
  return call(element, 'checkVisibility', { visibilityProperty: true, opacityProperty: true });
}

export function hasSize(element: Element): boolean {
  const { width, height } = measureBox(element);
  return width > 0 && height > 0;
}

/**
 * Returns a function that tells what `checkVisibility` does, also for a document that is hidden as a whole until it is printed. Then it
 * reads styles alone.
 */
export function displayReader(): (element: Element) => boolean {
  if (!isHiddenWhole()) return (element) => call(element, 'checkVisibility');
  const known = new Map<Element, boolean>();
  const isDisplayed = (element: Element): boolean => {
    const displayed = known.get(element) ?? (isRoot(element) || look(element));
    known.set(element, displayed);
    return displayed;
  };
  const look = (element: Element): boolean => {
    const around = element.assignedSlot ?? element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host;
    return !isNone(element) && (!around || (isDisplayed(around) && !isClosedOver(around, element)));
  };
  return isDisplayed;
}

/** Whether the document is hidden until it is printed. */
export function isHiddenWhole(): boolean {
  return [read(document, 'documentElement'), read(document, 'body')].some((each) => each && isNone(each));
}

function isNone(element: Element): boolean {
  return getComputedStyle(element).display === 'none';
}

function isRoot(element: Element): boolean {
  return /^(?:html|body)$/.test(readName(element));
}

function isClosedOver(around: Element, element: Element): boolean {
  const isClosed = call(around, 'matches', 'details:not([open])') && !call(element, 'matches', 'details > summary:first-of-type');
  return getComputedStyle(around, isClosed ? '::details-content' : null).contentVisibility === 'hidden';
}
