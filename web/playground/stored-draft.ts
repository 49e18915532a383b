/** Keeps the draft, so that it survives a reload of its tab. */
import { effect } from '@preact/signals';
import { readStored, store } from '../shared/storage.ts';
import { type Draft, draft, toDraft } from './draft.ts';

const STORAGE_KEY = 'platen.playground';
const PAUSE_MS = 250;

export function readStoredDraft(): Draft | undefined {
  try {
    return toDraft(JSON.parse(readStored('sessionStorage', STORAGE_KEY) ?? 'null'));
  } catch {
    return undefined;
  }
}

/** Stores every draft from now on, after a pause in typing and when the page is left. */
export function storeDrafts(): void {
  const keep = () => store('sessionStorage', STORAGE_KEY, JSON.stringify(draft.value));
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    void draft.value;
    clearTimeout(timer);
    timer = setTimeout(keep, PAUSE_MS);
  });
  addEventListener('pagehide', keep);
}
