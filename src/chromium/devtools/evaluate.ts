/**
 * Asks a page: an expression in, a value of the expected shape out. Documents may replace every function that an expression uses, so
 * that the answer of a page is input like any other. It is validated here, and nowhere else.
 */
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { hasCode, ServiceError, type Subject } from '../../errors.ts';
import { DevToolsError, type Result, type Session, TOO_LARGE } from './connection.ts';

/**
 * Chromium lays nothing out that is longer (`LayoutUnit::Max`, rounded up:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/platform/geometry/layout_unit.h).
 */
export const MAX_LENGTH_PX = 33_554_432;

export type ExceptionDetails = NonNullable<Result<'Runtime.evaluate'>['exceptionDetails']>;

export interface Question {
  expression: string;
  /** By default, a promise is awaited. Without scripts, it would never settle. */
  awaitPromise?: boolean;
  /** The isolated world in which to ask. By default, that of the document. */
  contextId?: number;
  /** Milliseconds after which the expression is terminated. */
  timeout?: number;
}

/** What an answer must look like. */
export interface Shape<T> {
  /** Returns undefined if the value has another shape. */
  read(value: unknown): T | undefined;
  has(value: unknown): value is T;
}

export function shape<S extends TSchema>(schema: S): Shape<Static<S>> {
  let compiled: { Check(value: unknown): boolean } | undefined; // not before it is needed, because the start would wait for all
  const has = (value: unknown): value is Static<S> => {
    compiled ??= Compile(schema);
    return compiled.Check(value);
  };
  return { has, read: (value) => (has(value) ? value : undefined) };
}

/** For an expression whose value does not matter. */
export const ANYTHING: Shape<unknown> = { read: (value) => value, has: (_value): _value is unknown => true };

/**
 * Throws `document_interferes` if the expression throws, unless `onThrow` returns a value or throws an error of its own, or if the
 * value has another shape. It rejects with a `DevToolsError` if there is no value, which may be due to a navigation.
 */
export async function evaluate<T>(
  session: Session,
  { awaitPromise = true, ...question }: Question,
  expected: Shape<T>,
  onThrow: (thrown: ExceptionDetails) => T = () => interferes(),
): Promise<T> {
  const returnByValue = expected !== ANYTHING; // not every value can be sent
  const answer = await session.send('Runtime.evaluate', { ...question, awaitPromise, returnByValue });
  if (answer.exceptionDetails) return onThrow(answer.exceptionDetails);
  const { value } = answer.result as { value?: unknown };
  return expected.has(value) ? value : interferes();
}

/** Whether the document gave no valid answer. For answers that a print does not depend on. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof DevToolsError || hasCode(error, 'document_interferes');
}

/** Returns `otherwise` if the document gives no valid answer. */
export function answerOr<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  return answer.catch((error: unknown) => {
    if (isUnanswered(error)) return otherwise;
    throw error;
  });
}

/** The error of an option that needs the answer: there is none, or it is too large to be read. */
export function unanswered(cause: unknown, about: Subject, missing: string, tooLarge: string): ServiceError {
  const isTooLarge = cause instanceof DevToolsError && cause.reason === TOO_LARGE;
  if (isTooLarge) return new ServiceError('resource_limit', `{option}: ${tooLarge}`, { about });
  return new ServiceError('print_failed', `{option}: ${missing}`, { about, cause });
}

export function interferes(cause?: unknown): never {
  const detail =
    'a script of the document replaces built-in objects of JavaScript or of the browser, such as Map, Math or Array.prototype, and the service needs them to lay out the document; remove the library that does so, or let it keep the built-in behaviour';
  throw new ServiceError('document_interferes', detail, { cause });
}
