/** What runs in a window before any script of a document does. */

const MAX_ERRORS = 20;
const MAX_CHARACTERS = 500;
/** Under this symbol a window keeps the errors of its document. */
const ERRORS = 'platen.errors';
/** Under this one, how to hear of those that are not caught. */
const LISTEN = 'platen.listen';

/** It cannot close, move or resize our window, sees no name an earlier one gave it, and sends nothing later; its errors are kept. */
export const OWN_WINDOW = `(${own})(${MAX_ERRORS}, ${MAX_CHARACTERS}, ${JSON.stringify(ERRORS)}, ${JSON.stringify(LISTEN)})`;

/** At the start of a document that is written into a window: what listened there is gone by then. Takes itself away. */
export const LISTEN_AGAIN = `<script>globalThis[Symbol.for(${JSON.stringify(LISTEN)})]?.();document.currentScript.remove()</script>`;

/** Evaluates to what the document wrote to its console as errors, or did not catch. */
export const CONSOLE_ERRORS = `globalThis[Symbol.for(${JSON.stringify(ERRORS)})] ?? []`;

/** What the window says of it, which may be anything. */
export function readErrors(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const errors = value.slice(0, MAX_ERRORS).filter((error) => typeof error === 'string');
  return errors.map((error) => error.slice(0, MAX_CHARACTERS).toWellFormed());
}

interface OwnWindow {
  top: unknown;
  close(): void;
  moveTo(): void;
  moveBy(): void;
  resizeTo(): void;
  resizeBy(): void;
  name: string;
  fetchLater?: unknown;
  console: { error(...parts: unknown[]): void };
  addEventListener(type: string, listener: (event: { message?: string; reason?: unknown }) => void): void;
  [errors: symbol]: string[];
}

// Runs in the page, sent as text.
function own(maxErrors: number, maxCharacters: number, errorsKey: string, listenKey: string): void {
  const self = globalThis as unknown as OwnWindow;
  delete self.fetchLater;
  self.moveTo = self.moveBy = self.resizeTo = self.resizeBy = () => {}; // a frame could lend its own to our window
  if ((self as unknown) !== self.top) return;
  self.close = () => {};
  self.name = '';
  const errors: string[] = [];
  self[Symbol.for(errorsKey) as never] = errors as never;
  const note = (...parts: unknown[]) => {
    try {
      if (errors.length < maxErrors) errors.push(parts.map(String).join(' ').slice(0, maxCharacters));
    } catch {
      // what cannot be written cannot be told
    }
  };
  const write = self.console.error;
  self.console.error = (...parts: unknown[]) => {
    note(...parts);
    write(...parts);
  };
  const listen = () => {
    self.addEventListener('error', ({ message }) => message && note(message));
    self.addEventListener('unhandledrejection', ({ reason }) => note('Uncaught (in promise)', reason));
  };
  self[Symbol.for(listenKey) as never] = listen as never;
  listen();
}
