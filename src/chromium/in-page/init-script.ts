/** The script that runs in a window before any script of a document: it protects the window and records errors. */
import { Type } from 'typebox';
import { shape } from '../devtools/evaluate.ts';
import { keepShadows, MAX_SHADOWS, SHADOW_ROOTS, SHADOW_SECRET, weakRoots } from './page-shadows.ts';

export const MAX_ERRORS = 20;
const MAX_CHARACTERS = 500;
/**
 * Further console messages are dropped, because each goes through the browser, which all pages share. `failOnConsoleError` reads
 * fewer.
 */
const MAX_WRITTEN = 2_000;
const MAX_WRITTEN_CHARACTERS = 10_000;
/** The symbol under which a window keeps the errors of its document. */
const ERRORS = 'platen.errors';
/** The symbol under which it keeps elements that failed to load their resource, each with the address. */
const FAILED = 'platen.failed';
const MAX_FAILED = 1_000;
const KEEPING = { key: SHADOW_ROOTS, secret: SHADOW_SECRET, atMost: MAX_SHADOWS };

/**
 * Prevents a document from closing, moving or resizing the window, from reading the `window.name` of an earlier document, from using
 * `fetchLater`, and from flooding its console. It records the document's errors.
 */
export const INIT_SCRIPT = `(() => { ${keepListening} (${limitConsole})(${MAX_WRITTEN}, ${MAX_WRITTEN_CHARACTERS}); ${keepFailed} ${weakRoots} ${keepShadows} keepShadows(${JSON.stringify(KEEPING)}, keepFailed(${MAX_FAILED}, ${MAX_CHARACTERS}, ${JSON.stringify(FAILED)})); (${own})(${MAX_ERRORS}, ${MAX_CHARACTERS}, ${JSON.stringify(ERRORS)}) })()`;

/** Evaluates to the elements of the document `page` that failed to load their resource, each with the address. */
export const FAILED_ELEMENTS = `page.defaultView?.[Symbol.for(${JSON.stringify(FAILED)})] ?? []`;

/** Evaluates to the errors that the document wrote to its console or did not catch. */
export const CONSOLE_ERRORS = `globalThis[Symbol.for(${JSON.stringify(ERRORS)})] ?? []`;

/** What `CONSOLE_ERRORS` evaluates to. */
export const ERROR_MESSAGES = shape(Type.Array(Type.String({ maxLength: MAX_CHARACTERS }), { maxItems: MAX_ERRORS }));

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

// Runs in the page, sent as text. When a document is written into a window, the listeners of the window are removed. A mutation
// observer stays, and adds them again before the first script runs.
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
// Error events do not leave a shadow root, so the returned function must be called with each root.
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
  self.moveTo = self.moveBy = self.resizeTo = self.resizeBy = () => {}; // the methods of a frame could be called on our window
  if ((self as unknown) !== self.top) return;
  self.close = () => {};
  self.name = '';
  const errors: string[] = [];
  self[Symbol.for(errorsKey) as never] = errors as never;
  const note = (...parts: unknown[]) => {
    try {
      if (errors.length < maxErrors) errors.push(parts.map(String).join(' ').slice(0, maxCharacters));
    } catch {
      // a value that cannot be converted to text is skipped
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
