/** Keeps texts in the storage of the browser, which may be full or not allowed: nothing is kept then. */

type Kind = 'localStorage' | 'sessionStorage';

export function readStored(kind: Kind, name: string): string | null {
  try {
    return window[kind].getItem(name);
  } catch {
    return null;
  }
}

export function store(kind: Kind, name: string, text: string): void {
  try {
    window[kind].setItem(name, text);
  } catch {
    // Nothing is kept.
  }
}
