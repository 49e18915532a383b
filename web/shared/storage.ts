/** Keeps texts in the storage of the browser, which may be full or not allowed: nothing is kept then. */
import { type Signal, signal } from '@preact/signals';

type Kind = 'localStorage' | 'sessionStorage';

export function readStored(kind: Kind, name: string): string | null {
  try {
    return window[kind].getItem(name);
  } catch {
    return null;
  }
}

/** What the tab has kept as JSON. Null if there is none that can be read. */
export function readStoredJson(name: string): unknown {
  try {
    return JSON.parse(readStored('sessionStorage', name) ?? 'null');
  } catch {
    return null;
  }
}

/** A text for which there is no room leaves nothing under its name: an older one would be taken for it. */
export function store(kind: Kind, name: string, text: string): void {
  try {
    window[kind].setItem(name, text);
  } catch {
    removeStored(kind, name);
  }
}

export function removeStored(kind: Kind, name: string): void {
  try {
    window[kind].removeItem(name);
  } catch {
    // Nothing was kept.
  }
}

/** A signal that keeps its value over a reload of its tab. `read` returns undefined for a text that is not valid. */
export function rememberedSignal<T extends string | number | boolean>(
  name: string,
  fallback: T,
  read: (text: string) => T | undefined,
): Signal<T> {
  const kept = readStored('sessionStorage', name);
  const value = signal(kept === null ? fallback : (read(kept) ?? fallback));
  let isFirst = true;
  value.subscribe((now) => {
    if (!isFirst) store('sessionStorage', name, String(now));
    isFirst = false;
  });
  return value;
}
