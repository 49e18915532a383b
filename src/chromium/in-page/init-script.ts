/** What runs in a window before any script of a document does. */
import { keepShadows, MAX_SHADOWS, SHADOW_ROOTS, SHADOW_SECRET, weakRoots } from './page-shadows.ts';

const MAX_ERRORS = 20;
const MAX_CHARACTERS = 500;
/** What is written to a console goes through the browser, which is there for all pages: more than any gate reads is dropped. */
const MAX_WRITTEN = 2_000;
const MAX_WRITTEN_CHARACTERS = 10_000;
/** Under this symbol a window keeps the errors of its document. */
const ERRORS = 'platen.errors';
/** And under this one elements that could not load what they name, with the address. */
const FAILED = 'platen.failed';
const MAX_FAILED = 1_000;
const KEEPING = { key: SHADOW_ROOTS, secret: SHADOW_SECRET, atMost: MAX_SHADOWS };

/**
 * It cannot close, move or resize our window, sees no name an earlier one gave it, sends nothing later, and cannot flood its console;
 * its errors are kept.
 */
export const INIT_SCRIPT = `(() => { ${keepListening} (${limitConsole})(${MAX_WRITTEN}, ${MAX_WRITTEN_CHARACTERS}); ${keepFailed} ${weakRoots} ${keepShadows} keepShadows(${JSON.stringify(KEEPING)}, keepFailed(${MAX_FAILED}, ${MAX_CHARACTERS}, ${JSON.stringify(FAILED)})); (${own})(${MAX_ERRORS}, ${MAX_CHARACTERS}, ${JSON.stringify(ERRORS)}) })()`;

/** Evaluates to elements of the document `page` that could not load what they name, each with the address. */
export const FAILED_ELEMENTS = `page.defaultView?.[Symbol.for(${JSON.stringify(FAILED)})] ?? []`;

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
  addEventListener(
    type: string,
    listener: (event: { message?: string; reason?: unknown; target?: object }) => void,
    captures?: boolean,
  ): void;
  [errors: symbol]: string[];
}

// Typed loosely: this project's code runs in Node and has no DOM types.
declare const document: unknown;
declare const MutationObserver: new (callback: () => void) => { observe(node: unknown, options: { childList: true }): void };

// Runs in the page, sent as text. A document that is written into a window takes its listeners away. An observer stays, and is called
// before the first script runs.
function keepListening(listen: () => void): void {
  listen();
  new MutationObserver(listen).observe(document, { childList: true });
}

// Runs in the page, sent as text.
function limitConsole(maxWritten: number, maxCharacters: number): void {
  const console = globalThis.console as unknown as Record<string, unknown>;
  let left = maxWritten;
  const cut = (part: unknown) => (typeof part === 'string' ? part.slice(0, maxCharacters) : part);
  for (const [name, write] of Object.entries(console))
    if (typeof write === 'function') console[name] = (...parts: unknown[]) => (left-- > 0 ? write(...parts.map(cut)) : undefined);
}

// Runs in the page, sent as text.
// Events of what is in a shadow root are heard only there: what is returned is to be called with it.
function keepFailed(atMost: number, maxCharacters: number, key: string): (root: object) => void {
  const self = globalThis as unknown as OwnWindow;
  const failed: Array<[element: unknown, address: string]> = [];
  self[Symbol.for(key) as never] = failed as never;
  const kept = ['script', 'object', 'embed', 'video', 'audio', 'source', 'image', 'feImage', 'input'];
  const note = ({ target }: { target?: { localName?: string; getAttribute?(name: string): string | null } }) => {
    if (!kept.includes(target?.localName ?? '') || failed.length >= atMost) return;
    const names = ['src', 'data', 'href', 'xlink:href'];
    const address = names.map((name) => target?.getAttribute?.(name)).find(Boolean) ?? '';
    failed.push([target, address.slice(0, maxCharacters)]);
  };
  const { addEventListener } = EventTarget.prototype;
  const listen = () => self.addEventListener('error', note, true);
  keepListening(listen);
  return (root) => Reflect.apply(addEventListener, root, ['error', note, true]);
}

// Runs in the page, sent as text.
function own(maxErrors: number, maxCharacters: number, errorsKey: string): void {
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
  const onError = ({ message }: { message?: string }) => message && note(message);
  const onRejection = ({ reason }: { reason?: unknown }) => note('Uncaught (in promise)', reason);
  const listen = () => {
    self.addEventListener('error', onError);
    self.addEventListener('unhandledrejection', onRejection);
  };
  keepListening(listen);
}
