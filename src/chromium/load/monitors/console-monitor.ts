/**
 * Watches errors that a document writes to its console or does not catch. It runs only on request, because a console can be
 * flooded. Otherwise the document's window collects them, and only what it cannot know is asked for afterwards.
 */
import { Type } from 'typebox';
import { ServiceError } from '../../../errors.ts';
import { MAX_ERROR_CHARACTERS, MAX_ERRORS } from '../../../in-page/contract/limits.ts';
import type { Events, Session } from '../../devtools/connection.ts';
import { shape } from '../../devtools/evaluate.ts';
import type { HtmlClass } from '../html/classify-html.ts';

const MAX_MESSAGES = 1_000;
const MAX_STACK = 10_000;
/** What a window learns about an exception in a script of another origin. */
const HIDDEN = 'Script error.';
/** The window learns nothing about rejected promises of such scripts. */
const REJECTED = 'Uncaught (in promise)';

/** A value that a document threw or wrote: the type is that of Chromium, the content is the document's. */
const Remote = Type.Object({
  subtype: Type.Optional(Type.String()),
  value: Type.Optional(Type.Unknown()),
  description: Type.Optional(Type.String()),
});
const THROWN = shape(
  Type.Object({
    exceptionId: Type.Integer(),
    executionContextId: Type.Optional(Type.Integer()),
    text: Type.String(),
    url: Type.Optional(Type.String()),
    lineNumber: Type.Integer(),
    exception: Type.Optional(Remote),
  }),
);
const WRITTEN = shape(Type.Array(Remote));

/** An exception that the document did not catch. */
interface Uncaught {
  message: string;
  /** The file and line, or the line in the document. */
  place: string;
  /** Whether the script has a URL of its own, so that a window may not know the message. */
  isOfFile: boolean;
  /** Whether a window describes the value in other words, because it is no error. */
  isVague: boolean;
}

export class ConsoleMonitor {
  readonly #session: Session;
  #fail: ((error: ServiceError) => void) | undefined;
  #messages = 0;

  constructor(session: Session) {
    this.#session = session;
    session.on('Runtime.exceptionThrown', ({ exceptionDetails }) => {
      const thrown = this.#fail && THROWN.read(exceptionDetails);
      if (thrown) this.#fail?.(consoleError(thrown.exception?.description ?? describeThrown(thrown) + describePlace(thrown)));
    });
    session.on('Runtime.consoleAPICalled', (message) => this.#judge(message));
  }

  /** Calls `fail` at the first error. */
  async begin(fail: (error: ServiceError) => void): Promise<void> {
    this.#messages = 0;
    await this.#session.send('Runtime.enable');
    this.#fail = fail;
  }

  end(): void {
    if (!this.#fail) return;
    this.#fail = undefined;
    this.#session.send('Runtime.disable').catch(() => {});
  }

  /**
   * Adds to the errors that a window has collected what it cannot know: the messages of exceptions in scripts of another origin,
   * including rejected promises, and the places of exceptions.
   */
  async explain(collected: string[], { loadsScripts }: HtmlClass, frameId: string): Promise<string[]> {
    if (this.#fail || !(loadsScripts || collected.length)) return collected;
    const left = await this.#uncaught(frameId);
    const take = (isMeant: (uncaught: Uncaught) => boolean): Uncaught | undefined => {
      const at = left.findIndex(isMeant);
      return at < 0 ? undefined : left.splice(at, 1)[0];
    };
    const placed = collected.map((error) => {
      if (error === HIDDEN) return error;
      const found = take(({ message }) => message === error || error.startsWith(`${message}\n`)) ?? take(mayMean(error));
      return error + (found?.place ?? '');
    });
    const hidden = (error: string) => withPlace(take(({ message }) => !message.startsWith(REJECTED))) ?? error;
    const explained = placed.map((error) => (error === HIDDEN ? hidden(error) : error));
    const unknown = left.filter(({ isOfFile }) => isOfFile);
    return [...explained, ...unknown.flatMap((each) => withPlace(each) ?? [])].slice(0, MAX_ERRORS);
  }

  /**
   * Returns the exceptions in a frame. Chromium keeps the last thousand messages of a document, and sends them when asked
   * (`maxConsoleMessageCount`: https://source.chromium.org/chromium/chromium/src/+/main:v8/src/inspector/v8-console-message.cc).
   */
  async #uncaught(frameId: string): Promise<Uncaught[]> {
    const contexts = new Set<number>();
    const found = new Map<number, Uncaught>();
    const stop = [
      this.#session.on('Runtime.executionContextCreated', ({ context }) => {
        if (context.auxData?.frameId === frameId) contexts.add(context.id);
      }),
      this.#session.on('Runtime.exceptionThrown', ({ exceptionDetails }) => {
        const thrown = THROWN.read(exceptionDetails);
        if (!thrown || !contexts.has(thrown.executionContextId ?? Number.NaN) || found.size >= MAX_MESSAGES) return;
        found.set(thrown.exceptionId, toUncaught(thrown));
      }),
      this.#session.on('Runtime.exceptionRevoked', ({ exceptionId }) => found.delete(exceptionId)),
    ];
    const enabled = this.#session.send('Runtime.enable');
    this.#session.send('Runtime.disable').catch(() => {});
    await enabled.catch(() => {}); // the loss of a page is reported elsewhere
    for (const end of stop) end();
    return [...found.values()];
  }

  #judge({ type, args }: Events['Runtime.consoleAPICalled'][0]): void {
    if (!this.#fail) return;
    if (type === 'error' || type === 'assert')
      this.#fail(
        consoleError((WRITTEN.read(args) ?? []).map(({ value, description }) => String(value ?? description ?? '')).join(' ')),
      );
    else if (++this.#messages > MAX_MESSAGES) this.#fail(consoleError(`more than ${MAX_MESSAGES} messages`));
  }
}

type Thrown = NonNullable<ReturnType<typeof THROWN.read>>;

/** The message as the window of the document would know it. */
function describeThrown({ text, exception }: Thrown): string {
  const [first = ''] = (exception?.description ?? String(exception?.value ?? '')).split('\n');
  return `${text} ${first}`.trim().slice(0, MAX_ERROR_CHARACTERS).toWellFormed();
}

function toUncaught(thrown: Thrown): Uncaught {
  const { exception } = thrown;
  const isVague = exception !== undefined && exception.subtype !== 'error';
  return { message: describeThrown(thrown), place: describePlace(thrown), isOfFile: isFile(placeOf(thrown)?.url), isVague };
}

/** Whether a window might describe such a value with these words. */
function mayMean(error: string): (uncaught: Uncaught) => boolean {
  const isRejected = error.startsWith(REJECTED);
  return ({ message, isVague }) => isVague && error.startsWith('Uncaught') && message.startsWith(REJECTED) === isRejected;
}

interface Place {
  url: string;
  lineNumber: number;
}

function describePlace(thrown: Thrown): string {
  const place = placeOf(thrown);
  if (!place) return '';
  const line = place.lineNumber + 1;
  return isFile(place.url) ? ` (${place.url.slice(0, MAX_ERROR_CHARACTERS)}:${line})` : ` (line ${line})`;
}

/**
 * Chromium itself names a script of ours where the document calls a function that the service replaces, and the first line where it
 * knows none. The exception is absent if the script has another origin, and for `JSON.parse` in such a script.
 */
function placeOf({ url = '', lineNumber, exception }: Thrown): Place | undefined {
  const frames = (exception?.description ?? '')
    .slice(0, MAX_STACK)
    .split('\n')
    .filter((line) => line.startsWith('    at '));
  if (frames.length) return frames.map(toPlace).find((place) => place !== undefined);
  const isKnown = isFile(url) || (exception && exception.subtype !== 'error' && url);
  return isKnown ? { url, lineNumber } : undefined;
}

/** Reads a line of a stack, such as `at f (https://example.com/a.js:3:9)`. */
function toPlace(frame: string): Place | undefined {
  const parts = frame.slice(Math.max(frame.search(/https?:|about:blank/), 0)).split(':');
  const [url, line] = [parts.slice(0, -2).join(':'), Number(parts.at(-2))];
  return /^(?:http|about:blank$)/.test(url) && line > 0 ? { url, lineNumber: line - 1 } : undefined;
}

function isFile(url = ''): boolean {
  return /^https?:/.test(url) && URL.parse(url)?.pathname !== '/';
}

function withPlace(uncaught: Uncaught | undefined): string | undefined {
  return uncaught && uncaught.message + uncaught.place;
}

function consoleError(message: string): ServiceError {
  const shown = message.slice(0, MAX_ERROR_CHARACTERS);
  return new ServiceError('render_gate_failed', `{option}: the document wrote an error to its console: ${shown}`, {
    members: { messages: [shown] },
    about: 'failing_console',
  });
}
