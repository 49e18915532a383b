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
/** What a window learns about an exception in a script of another origin. */
const HIDDEN = 'Script error.';
/** The window learns nothing about rejected promises of such scripts. */
const REJECTED = 'Uncaught (in promise)';

/** A value that a document threw or wrote: the type is that of Chromium, the content is the document's. */
const Remote = Type.Object({ value: Type.Optional(Type.Unknown()), description: Type.Optional(Type.String()) });
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
  /** The file and line of a script with a URL of its own. */
  place: string;
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
    if (this.#fail || !(loadsScripts || collected.includes(HIDDEN))) return collected;
    const left = await this.#uncaught(frameId);
    const take = (error: string, isMeant: (uncaught: Uncaught) => boolean) => {
      const at = left.findIndex(isMeant);
      return at < 0 ? error : withPlace(left.splice(at, 1)[0]);
    };
    const isThrown = ({ message }: Uncaught) => !message.startsWith(REJECTED);
    const placed = collected.map((error) => (error === HIDDEN ? error : take(error, ({ message }) => message === error)));
    const explained = placed.map((error) => (error === HIDDEN ? take(error, isThrown) : error));
    return [...explained, ...left.map(withPlace)].slice(0, MAX_ERRORS);
  }

  /** Returns the exceptions in a frame. Chromium keeps the last thousand messages of a document, and sends them when asked. */
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
        found.set(thrown.exceptionId, { message: describeThrown(thrown), place: describePlace(thrown) });
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

function describePlace({ url = '', lineNumber }: Thrown): string {
  const isFile = /^https?:/.test(url) && URL.parse(url)?.pathname !== '/';
  return isFile ? ` (${url.slice(0, MAX_ERROR_CHARACTERS)}:${lineNumber + 1})` : '';
}

function withPlace(uncaught: Uncaught | undefined): string {
  return uncaught ? uncaught.message + uncaught.place : '';
}

function consoleError(message: string): ServiceError {
  const shown = message.slice(0, MAX_ERROR_CHARACTERS);
  return new ServiceError('render_gate_failed', `{option}: the document wrote an error to its console: ${shown}`, {
    members: { messages: [shown] },
    about: 'failing_console',
  });
}
