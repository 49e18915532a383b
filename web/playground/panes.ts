/** Selects the visible pane, and moves the focus to a field or an editor. */
import { rememberedSignal } from '../shared/storage.ts';

export const PANES = ['edit', 'style', 'files', 'options', 'preview'] as const;
export type Pane = (typeof PANES)[number];
/** The panes that a wide screen shows beside the preview. */
export type WritingPane = Exclude<Pane, 'preview'>;

export const pane = rememberedSignal<Pane>('platen.playground.pane', 'edit', (text) => PANES.find((name) => name === text));

export function showTemplate(): void {
  focusIn('edit', '.document-editor');
}

export function showData(): void {
  focusIn('edit', '.data-editor');
}

export function showFiles(): void {
  pane.value = 'files';
}

export function showOption(name: string): void {
  focusIn('options', `[data-path="${CSS.escape(name)}"]`);
}

/** Moves the focus when the pane has been rendered. */
function focusIn(where: Pane, selector: string): void {
  pane.value = where;
  requestAnimationFrame(() => {
    const place = document.querySelector(selector);
    for (let group = place?.closest('details'); group; group = group.parentElement?.closest('details')) group.open = true;
    place?.scrollIntoView({ block: 'nearest' });
    focusable(place)?.focus();
  });
}

function focusable(place: Element | null): HTMLElement | null | undefined {
  const editor = place?.querySelector('.code-editor')?.shadowRoot?.querySelector<HTMLElement>('.cm-content');
  return editor ?? place?.querySelector<HTMLElement>('input, select, textarea, button');
}
