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
/** What is in the panes that are not seen at first. */
export const laterPanes = signal<Partial<Record<LaterPane, ComponentType>>>({});
export type LaterPane = keyof typeof PANES;

const PANES = {
  style: async () => (await import('./files/style-pane.tsx')).StylePane,
  files: async () => (await import('./files/files-pane.tsx')).FilesPane,
  options: async () => (await import('./options/options-form.tsx')).OptionsForm,
};

let begun = false;
let isWaiting = false;

export function loadRest(): void {
  if (begun) return;
  begun = true;
  Promise.all([loadEditor(), loadPane('options')]).catch(tellMissing);
}

function tellMissing(): void {
  showToast(
    'The service does not answer, so a part of this editor is missing. Your text is kept: load the page again in a moment.',
  );
}

/** Loads the parts if no page is to be expected, or if the visitor opens the options. */
export function loadRestInTime(): void {
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(loadRest, MAX_WAIT_MS);
  effect(() => {
    const { kind } = renderState.value;
    const chosen = pane.value;
    if (chosen === 'style' || chosen === 'files') loadPane(chosen).catch(tellMissing);
    if (isCharged.value || chosen === 'options' || !(kind === 'idle' || kind === 'done')) loadRest();
  });
}

async function loadEditor(): Promise<void> {
  sourceEditor.value = (await import('./source-editor.tsx')).SourceEditor;
}

async function loadPane(name: LaterPane): Promise<void> {
  const Pane = await PANES[name]();
  laterPanes.value = { ...laterPanes.peek(), [name]: Pane };
}
