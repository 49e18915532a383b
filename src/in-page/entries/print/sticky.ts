/**
 * Keeps sticky boxes where they are in the flow: nothing scrolls on paper, and Chromium prints them where they stick to the window, if
 * anything was measured in it.
 */
import { findRoots, selectIn } from '../../dom/roots.ts';

const PLACED = { position: 'relative', inset: 'auto' };

/** Returns whether there are any. */
export function releaseSticky(): boolean {
  const sticky = findRoots(document)
    .flatMap((root) => [...selectIn(root, '*')])
    .filter((element) => getComputedStyle(element).position === 'sticky');
  for (const element of sticky)
    for (const [property, value] of Object.entries(PLACED)) element.style.setProperty(property, value, 'important');
  return sticky.length > 0;
}
