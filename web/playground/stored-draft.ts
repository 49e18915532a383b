/** Keeps the draft: for a reload of its tab, and as one of the drafts of this browser if it is the visitor's own. */
import { effect } from '@preact/signals';
import { readStored, store } from '../shared/storage.ts';
import { type Draft, draft, generation, toDraft } from './draft.ts';
import { beginDraft, keepDraft } from './draft-history.ts';
import { isOwn } from './replaced-draft.tsx';

const STORAGE_KEY = 'platen.playground';
const PAUSE_MS = 250;

export function readStoredDraft(): Draft | undefined {
  try {
    return toDraft(JSON.parse(readStored('sessionStorage', STORAGE_KEY) ?? 'null'));
  } catch {
    return undefined;
  }
}

/** Stores every draft from now on: after a pause in typing, when another draft replaces it, and when the page is left. */
export function storeDrafts(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown = generation.peek();
  let latest = draft.peek();
  const keep = () => {
    clearTimeout(timer);
    store('sessionStorage', STORAGE_KEY, JSON.stringify(latest));
    const own = isOwn(latest) ? latest : undefined;
    if (own) inOrder(() => keepDraft(own));
  };
  effect(() => {
    const changed = draft.value;
    if (generation.value !== shown) {
      shown = generation.value;
      keep();
      inOrder(() => beginDraft(changed));
    }
    latest = changed;
    clearTimeout(timer);
    timer = setTimeout(keep, PAUSE_MS);
  });
  addEventListener('visibilitychange', keep);
  addEventListener('pagehide', keep);
}

let queue: Promise<void> = Promise.resolve();

function inOrder(write: () => Promise<void>): void {
  queue = queue.then(write);
}
