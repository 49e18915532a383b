/**
 * Watches errors that a document writes to its console or does not catch. It runs only on request, because a console can be
 * flooded.
 */
import { ServiceError } from '../../errors.ts';
import type { Events, Session } from '../devtools/connection.ts';

const MAX_MESSAGES = 1_000;
const MAX_CHARACTERS = 500;

export class ConsoleMonitor {
  readonly #session: Session;
  #fail: ((error: ServiceError) => void) | undefined;
  #messages = 0;

  constructor(session: Session) {
    this.#session = session;
    session.on('Runtime.exceptionThrown', ({ exceptionDetails: { exception, text } }) =>
      this.#fail?.(consoleError(exception?.description ?? text)),
    );
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

  #judge({ type, args }: Events['Runtime.consoleAPICalled'][0]): void {
    if (type === 'error' || type === 'assert')
      this.#fail?.(consoleError(args.map(({ value, description }) => String(value ?? description ?? '')).join(' ')));
    else if (++this.#messages > MAX_MESSAGES) this.#fail?.(consoleError(`more than ${MAX_MESSAGES} messages`));
  }
}

function consoleError(message: string): ServiceError {
  const shown = message.slice(0, MAX_CHARACTERS);
  return new ServiceError('render_gate_failed', `failOnConsoleError: the document wrote an error to its console: ${shown}`, {
    members: { gate: 'failOnConsoleError', messages: [shown] },
  });
}
