/** Keeps texts that somebody writes into forms, in this tab, until they are saved or the visitor signs out. */
import { useState } from 'preact/hooks';
import { readStoredJson, removeStored, store } from '../shared/storage.ts';

const STORAGE_KEY = 'platen.unsaved';

interface Unsaved {
  text: string;
  /** The stored text when the visitor began to write. */
  since: string;
}

interface UnsavedText extends Unsaved {
  write(text: string): void;
  /** Call it when `sent` is stored as `stored`. */
  saved(sent: string, stored: string): void;
  discard(): void;
}

/** `name` tells the field from others, and `stored` is its text without changes. */
export function useUnsavedText(name: string, stored: string): UnsavedText {
  const [unsaved, setUnsaved] = useState(() => readAll()[name]);
  const shown = unsaved ?? { text: stored, since: stored };
  const change = (next: (now: Unsaved) => Unsaved) => setUnsaved((now) => keep(name, next(now ?? shown)));
  return {
    ...shown,
    write: (text) => change(({ since }) => ({ text, since })),
    saved: (sent, since) => change(({ text }) => ({ text: text === sent ? since : text, since })),
    discard: () => change(({ since }) => ({ text: since, since })),
  };
}

export function forgetUnsaved(): void {
  removeStored('sessionStorage', STORAGE_KEY);
}

/** Returns undefined, and keeps nothing, if nothing is unsaved. */
function keep(name: string, { text, since }: Unsaved): Unsaved | undefined {
  const { [name]: _, ...others } = readAll();
  const unsaved = text === since ? undefined : { text, since };
  store('sessionStorage', STORAGE_KEY, JSON.stringify({ ...others, [name]: unsaved }));
  return unsaved;
}

function readAll(): Record<string, Unsaved | undefined> {
  return (readStoredJson(STORAGE_KEY) as Record<string, Unsaved> | null) ?? {};
}
