/** Hides a document while it is printed only to find out where its elements are. Nothing moves. */
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';
import { selectIn } from '../../dom/roots.ts';

const changes = new Changes();

/** Links whose addresses begin with the key are left out. The rest is hidden in print only, where Chromium starts no transitions. */
export function hideDocument(key: string): null {
  for (const link of selectIn<HTMLElement>(document, `a[href^="${key}:"]`)) changes.setStyle(link, 'display', 'none');
  adoptStyles('@media print { :root:root:root { visibility: hidden !important } }', changes);
  return null;
}

export function showDocument(): null {
  changes.undo();
  return null;
}
