/** Elements that margin boxes show (css-gcpm-3, 1.2): they leave the flow, and the overlay paints copies of them. */
import type { OverlayBox } from '../../contract/overlay.ts';
import { MAX_PAGED_TEXT, type PagedElements } from '../../contract/paged.ts';
import type { Changes } from '../../dom/changes.ts';
import { createHtml, setLook } from '../../dom/create-html.ts';
import type { Destinations } from '../../dom/destinations.ts';
import { call, read } from '../../dom/nodes.ts';
import { findAfter, findShown } from './following-element.ts';
import { fillBox, registerPainter, withStyle, wrapLike } from './overlay.ts';
import { findSpaceAbove } from './space-above.ts';
import { findStyled, readProperty } from './styled-elements.ts';
import { moveZoom } from './zoom.ts';

const SHOWN = { visibility: 'visible', width: 'auto', height: 'auto', overflow: 'visible' };
const RUNNING = /^running\(\s*([-\w\u0080-\uFFFF]+)\s*\)$/i;

/** An element that stays where it is, but is not shown. */
const HIDDEN = { position: 'absolute', visibility: 'hidden', width: '0', height: '0', overflow: 'hidden' };

/**
 * Takes the elements out of the flow. A block belongs to the page on which the element after it begins, unless it is at the end of its
 * section.
 */
export function takeRunning(destinations: Destinations, changes: Changes): PagedElements['running'] {
  const found = findStyled(/--platen-position/, 'running(').flatMap((element) => {
    const [, name] = RUNNING.exec(readProperty(element, '--platen-position')) ?? [];
    const { display } = getComputedStyle(element);
    return name && name.length <= MAX_PAGED_TEXT && display !== 'none' ? [{ element, name, display }] : [];
  });
  if (found.length) moveZoom();
  const blocks = found.filter(({ display }) => !isInline(display));
  for (const { element } of blocks) changes.setStyle(element, 'display', 'none');
  const moved = new Set(blocks.filter(({ element }) => !isAtEnd(element)));
  for (const { element, display } of found.filter((each) => !moved.has(each)))
    for (const [property, value] of Object.entries({ ...HIDDEN, display })) changes.setStyle(element, property, value);
  return found.map((each, number) => {
    const { element, name, display } = each;
    registerPainter(`running-${number}`, (box) => paint(element, display, box));
    const follower = moved.has(each) ? (findAfter(element) ?? read(element, 'parentElement')) : element;
    const marked = follower ?? read(document, 'body');
    return { name, at: destinations.mark(marked), spaceAbove: findSpaceAbove(marked) };
  });
}

/** Whether an element is the last of its section, such as its footer, and belongs to the page on which the section ends. */
function isAtEnd(element: Element): boolean {
  const isLast = !findShown(element, 'nextElementSibling') && findShown(element, 'previousElementSibling') !== undefined;
  return isLast && read(element, 'parentElement') !== read(document, 'body');
}

function isInline(display: string): boolean {
  return display.startsWith('inline');
}

/** A copy in a box that looks like the margin box. Counters of pages have the values of its page. */
function paint(element: HTMLElement, display: string, box: OverlayBox): HTMLElement {
  const { style = '', page = '1', pages = '1', align = 'left' } = box.texts;
  const place = createHtml('platen-margin');
  place.style.cssText = `vertical-align: middle; text-align: ${align}; ${style}`;
  const vertical = { top: 'start', bottom: 'end' }[place.style.verticalAlign] ?? 'center';
  const copy = call(element, 'cloneNode', true) as HTMLElement;
  withStyle(copy, element);
  setLook(copy, { display: isInline(display) ? 'block' : display, position: 'static', ...SHOWN });
  const shown = createHtml('div');
  setLook(shown, { all: 'unset', display: 'block', 'counter-reset': `page ${page} pages ${pages}` });
  shown.append(wrapLike(copy, read(element, 'parentElement')));
  place.append(shown);
  setLook(place, { display: 'grid', 'align-content': vertical });
  return fillBox(place, box);
}
