/** Keyboard shortcuts. Single letters are ignored in text fields. */

import { viewer } from '../shared/pdf-view/open-viewer.ts';
import { ZOOM_STEP } from '../shared/pdf-view/preview-tools.tsx';
import { downloadPdf } from './download.ts';
import { templateParts } from './opened.ts';
import { PANES, type Pane, pane } from './panes.ts';
import { renderNow } from './render-loop.ts';

export const SHORTCUTS: Array<[keys: string, what: string]> = [
  ['Ctrl Enter', 'Render now'],
  ['Ctrl S', 'Save the template, or download the PDF of a draft'],
  ['Alt 1 to 5', 'Edit, style, files, options, preview'],
  ['+ and −', 'Zoom in and out, outside of fields'],
  ['0', 'Fit the width, outside of fields'],
  ['Alt Enter', 'Show the word at the cursor in the preview, or a match of the search there in the source'],
  ['Click a word of the preview', 'Show it in the source'],
  ['Ctrl F', 'Find and replace, in an editor'],
  ['Esc, then Tab', 'Leave an editor'],
  ['← and →', 'Move the divider, when it has the focus'],
  ['?', 'This help, outside of fields'],
];

/** Returns a function that stops listening. */
export function listenForShortcuts({ help }: { help(): void }): () => void {
  const plain: Record<string, () => void> = {
    '?': help,
    '+': () => viewer.value?.step(ZOOM_STEP),
    '=': () => viewer.value?.step(ZOOM_STEP),
    '-': () => viewer.value?.step(1 / ZOOM_STEP),
    '0': () => viewer.value?.setZoom('width'),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
    const run = withModifier(event) ?? (isPlain(event) ? plain[event.key] : undefined);
    if (!run) return;
    event.preventDefault();
    run();
  };
  addEventListener('keydown', onKeyDown);
  return () => removeEventListener('keydown', onKeyDown);
}

function withModifier(event: KeyboardEvent): (() => void) | undefined {
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key === 'Enter') return () => void renderNow();
  if (command && !event.shiftKey && event.key.toLowerCase() === 's') return templateParts.peek()?.save ?? downloadPdf;
  const digit = event.altKey && !command && event.code.startsWith('Digit') ? Number(event.code.slice(5)) : 0;
  const to = PANES[digit - 1];
  return to && (() => show(to));
}

function show(to: Pane): void {
  pane.value = to;
}

function isPlain(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const [target] = event.composedPath();
  return !(target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)));
}
