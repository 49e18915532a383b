/** Finds what follows an element in the flow. */
import { call, read } from '../../dom/nodes.ts';

/** The first element after another that is shown and not within it. */
export function findAfter(element: Element): Element | undefined {
  for (let around: Element | null = element; around; around = read(around, 'parentElement'))
    for (let next = read(around, 'nextElementSibling'); next; next = read(next, 'nextElementSibling'))
      if (call(next, 'checkVisibility')) return next;
  return undefined;
}
