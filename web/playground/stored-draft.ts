/** Keeps the draft, so that it survives a reload of its tab. */
import { effect } from '@preact/signals';
import { type Draft, draft, toDraft } from './draft.ts';

const STORAGE_KEY = 'platen.playground';
const PAUSE_MS = 250;

export function readStoredDraft(): Draft | undefined {
  try {
    return toDraft(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null'));
  } catch {
    return undefined;
  }
}

/** Stores every draft from now on, after a pause in typing and when the page is left. */
export function storeDrafts(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    void draft.value;
    clearTimeout(timer);
    timer = setTimeout(store, PAUSE_MS);
  });
  addEventListener('pagehide', store);
}

function store(): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(draft.value));
  } catch {
    // The draft is too large, or there is no storage. It does not survive a reload then.
  }
}
