/** Shows on the pages of the PDF what a warning is about. */
import type { LayoutFragment, LocatedElement } from '../../clients/typescript/src/api.ts';
import { viewer } from '../shared/pdf-view/open-viewer.ts';
import type { Warning } from '../shared/rendered-pdf.ts';
import { clearToasts, showToast } from '../shared/toast.tsx';
import { toSelector } from './element-names.ts';
import { pane } from './panes.ts';
import { locateElements, type Rendered } from './render-call.ts';
import { rendered } from './render-loop.ts';
import { isNarrow } from './source-places.ts';

/** Where the elements of all warnings of a render are. */
const located = new WeakMap<Rendered, Promise<LocatedElement[]>>();
let asked: Warning | undefined;

export function hasPlace({ element, pages = [] }: Warning): boolean {
  return element !== undefined || pages.length > 0;
}

/** Outlines the element of the warning and scrolls to it, or to its page. `isChosen` tells that the visitor asks for it. */
export async function showWarning(warning: Warning, result: Rendered, isChosen: boolean): Promise<void> {
  asked = warning;
  if (isChosen && isNarrow()) pane.value = 'preview';
  const boxes = findBoxes(warning, await locateAll(result));
  if (asked !== warning || rendered.peek() !== result) return; // another warning or PDF is shown
  const [page = boxes[0]?.page] = warning.pages ?? [];
  if (isChosen) clearToasts();
  if (page !== undefined) viewer.value?.goTo(page);
  else if (isChosen) showToast('It is not known where this is on the pages.');
  viewer.value?.outline(boxes);
}

/** One more render tells it. If that fails, only pages are shown. */
function locateAll(result: Rendered): Promise<LocatedElement[]> {
  const selectors = result.report.warnings.flatMap(({ element }) => toSelector(element ?? '') ?? []);
  const found = located.get(result) ?? locateElements(result, [...new Set(selectors)]).catch(() => []);
  located.set(result, found);
  return found;
}

/**
 * Of several elements with the same name, the warning is about the last one on its page, because warnings with pages are about breaks. One
 * that goes on to the next page is followed there.
 */
function findBoxes({ element = '', pages }: Warning, all: LocatedElement[]): LayoutFragment[] {
  const same = all.filter(({ selector }) => selector === toSelector(element));
  if (!pages) return same.find(({ fragments }) => fragments.length)?.fragments ?? [];
  const chosen: LocatedElement[] = [];
  return pages.flatMap((page) => {
    const box = findOn(page, chosen)?.box;
    if (box) return box;
    const last = findOn(page, same);
    if (last) chosen.push(last.element);
    return last?.box ?? [];
  });
}

/** The lowest box on a page. */
function findOn(page: number, elements: LocatedElement[]): { element: LocatedElement; box: LayoutFragment } | undefined {
  const on = elements.flatMap((element) => element.fragments.filter((box) => box.page === page).map((box) => ({ element, box })));
  return on.sort(({ box: one }, { box: other }) => other.y + other.height - one.y - one.height)[0];
}
