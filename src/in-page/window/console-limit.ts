/**
 * Limits what a window or worker writes to its console: messages, and errors that nothing catches. Each goes through the browser, which
 * all pages share. `failOnConsoleError` reads fewer messages.
 */
import { apply, type Call, findGetter, getOwnPropertyDescriptor } from '../dom/built-ins.ts';

const MAX_MESSAGES = 2_000;
const MAX_CHARACTERS = 10_000;
/** Characters of all errors together, because a single one cannot be shortened. */
const MAX_ERROR_CHARACTERS = MAX_MESSAGES * MAX_CHARACTERS;

/** Drops further messages, and shortens long ones. */
export function limitConsole(): void {
  const console = globalThis.console as unknown as Record<string, unknown>;
  let left = MAX_MESSAGES;
  const cut = (part: unknown) => (typeof part === 'string' ? part.slice(0, MAX_CHARACTERS) : part);
  for (const [name, write] of Object.entries(console))
    if (typeof write === 'function') console[name] = (...parts: unknown[]) => (left-- > 0 ? write(...parts.map(cut)) : undefined);
}

/** Returns a listener for the events `error` and `unhandledrejection`. It cancels further ones, so that the browser does not report them. */
export function limitErrors(): (event: Event) => void {
  const { preventDefault } = Event.prototype;
  const messageOf = findGetter(ErrorEvent.prototype, 'message') as Call;
  const reasonOf = findGetter(PromiseRejectionEvent.prototype, 'reason') as Call;
  let [messages, characters] = [MAX_MESSAGES, MAX_ERROR_CHARACTERS];
  return (event) => {
    if (messages > 0 && characters > 0) {
      messages--;
      characters -= event instanceof ErrorEvent ? lengthOf(apply(messageOf, event, [])) : lengthOf(apply(reasonOf, event, []));
    } else apply(preventDefault, event, []);
  };
}

/** The number of characters of a text, or of the message of an error. */
function lengthOf(thrown: unknown): number {
  if (typeof thrown === 'string') return thrown.length;
  if (typeof thrown !== 'object' || thrown === null) return 0;
  try {
    return lengthOf(getOwnPropertyDescriptor(thrown, 'message')?.value);
  } catch {
    return 0; // a proxy that throws
  }
}
