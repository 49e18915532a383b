/** Records the errors that the document of the top window writes to its console or does not catch. */

import { MAX_ERROR_CHARACTERS, MAX_ERRORS } from '../contract/limits.ts';
import { keepListening } from './listening.ts';

const errors: string[] = [];

/** The first errors so far. */
export function recordedErrors(): string[] {
  return errors;
}

export function recordErrors(): void {
  const { console } = window;
  const write = console.error;
  console.error = (...parts: unknown[]) => {
    note(...parts);
    write(...parts);
  };
  const onError = ({ message }: ErrorEvent) => message && note(message);
  const onRejection = ({ reason }: PromiseRejectionEvent) => note('Uncaught (in promise)', reason);
  keepListening(() => {
    window.addEventListener('error', onError);
    window.addEventListener('unhandledrejection', onRejection);
  });
}

function note(...parts: unknown[]): void {
  try {
    if (errors.length < MAX_ERRORS) errors.push(parts.map(String).join(' ').slice(0, MAX_ERROR_CHARACTERS));
  } catch {
    // a value that cannot be converted to text is skipped
  }
}
