/**
 * Keeps what somebody writes into forms, in this browser and for this account, until it is saved or discarded. The sign-out asks what
 * becomes of it, as of unsaved drafts.
 */
import { useLayoutEffect, useState } from 'preact/hooks';
import { readStored, removeStored, store } from '../shared/storage.ts';
import { askBeforeLeaving } from '../shell/route.ts';
import { session } from './session.ts';

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

/** `name` tells the field from others of the account, and `stored` is its text without changes. */
export function useUnsavedText(name: string, stored: string): UnsavedText {
  const [unsaved, setUnsaved] = useState(() => readAll()[name]);
  const shown = unsaved ?? { text: stored, since: stored };
  useLayoutEffect(() => askBeforeLeaving(() => JSON.stringify(readAll()[name]) !== JSON.stringify(unsaved)), [name, unsaved]);
  const change = (next: (now: Unsaved) => Unsaved) => setUnsaved((now) => keep(name, next(now ?? shown)));
  return {
    ...shown,
    write: (text) => change(({ since }) => ({ text, since })),
    saved: (sent, since) => change(({ text }) => ({ text: text === sent ? since : text, since })),
    discard: () => setUnsaved(keep(name, { text: stored, since: stored })),
  };
}

export function countUnsaved(): number {
  return Object.keys(readAll()).length;
}

export function forgetUnsaved(): void {
  removeStored('localStorage', storageKey());
}

/** Returns undefined, and keeps nothing, if nothing is unsaved. */
function keep(name: string, { text, since }: Unsaved): Unsaved | undefined {
  const { [name]: _, ...others } = readAll();
  const unsaved = text === since ? undefined : { text, since };
  store('localStorage', storageKey(), JSON.stringify({ ...others, [name]: unsaved }));
  return unsaved;
}

function readAll(): Record<string, Unsaved | undefined> {
  try {
    return JSON.parse(readStored('localStorage', storageKey()) ?? '{}') as Record<string, Unsaved>;
  } catch {
    return {};
  }
}

function storageKey(): string {
  return `platen.unsaved.${session.peek()?.account.account_id}`;
}
