/** Keeps the draft, so that it survives a reload of its tab. */
import { effect } from '@preact/signals';
import { type Draft, draft, toDraft } from './draft.ts';

const KEPT_AS = 'platen.playground';
const PAUSE_MS = 250;

export function keptDraft(): Draft | undefined {
  try {
    return toDraft(JSON.parse(sessionStorage.getItem(KEPT_AS) ?? 'null'));
  } catch {
    return undefined;
  }
}

/** Stores every draft from now on, after a pause in typing and when the page is left. */
export function keepDrafts(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    void draft.value;
    clearTimeout(timer);
    timer = setTimeout(keep, PAUSE_MS);
  });
  addEventListener('pagehide', keep);
}

function keep(): void {
  try {
    sessionStorage.setItem(KEPT_AS, JSON.stringify(draft.value));
  } catch {
    // The draft is too large, or there is no storage. It does not survive a reload then.
  }
}
