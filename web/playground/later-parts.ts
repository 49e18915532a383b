/** The parts of the editor that are loaded after the first page has been seen, so that it does not wait for them. */
import { effect, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { showToast } from '../shared/toast.tsx';
import { isCharged } from './opened.ts';
import { pane } from './panes.ts';
import { renderState } from './render-loop.ts';
import type { SourceEditorProps } from './source-editor.tsx';

/** They are loaded after this time also if no page has been seen. */
const MAX_WAIT_MS = 8_000;

/** The code editor. Until it is loaded, a plain field has the text. */
export const sourceEditor = signal<ComponentType<SourceEditorProps> | undefined>(undefined);
export const optionsForm = signal<ComponentType | undefined>(undefined);

let begun = false;

export function loadRest(): void {
  if (begun) return;
  begun = true;
  Promise.all([loadEditor(), loadOptions()]).catch(() =>
    showToast(
      'The service does not answer, so a part of this editor is missing. Your text is kept: load the page again in a moment.',
    ),
  );
}

/** Loads the parts if no page is to be expected, or if the visitor opens the options. */
export function loadRestInTime(): void {
  setTimeout(loadRest, MAX_WAIT_MS);
  effect(() => {
    const { kind } = renderState.value;
    if (isCharged.value || pane.value === 'options' || !(kind === 'idle' || kind === 'done')) loadRest();
  });
}

async function loadEditor(): Promise<void> {
  sourceEditor.value = (await import('./source-editor.tsx')).SourceEditor;
}

async function loadOptions(): Promise<void> {
  const { OptionsForm } = await import('./options/options-form.tsx');
  optionsForm.value = OptionsForm;
}
