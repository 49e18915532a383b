/** Formats numbers, times and errors for people. */
import { type ProblemBody, ProblemError } from '../shared/api.ts';

const SECOND_MS = 1_000;

const numbers = new Intl.NumberFormat();
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const spans = new Intl.RelativeTimeFormat(undefined, { numeric: 'always', style: 'long' });

const SPANS: Array<[number, Intl.RelativeTimeFormatUnit]> = [
  [365 * 86_400, 'year'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

export function numberText(value: number): string {
  return numbers.format(value);
}

export function countText(value: number, one: string, many = `${one}s`): string {
  return `${numberText(value)} ${value === 1 ? one : many}`;
}

export function durationText(milliseconds: number): string {
  if (milliseconds < SECOND_MS) return `${numberText(Math.round(milliseconds))} ms`;
  return `${numberText(Math.round(milliseconds / 100) / 10)} s`;
}

/** Formats a time in the visitor's language and time zone. */
export function timeText(iso: string): string {
  return times.format(new Date(iso));
}

/** Formats a day of the API, whose calendar is in UTC. */
export function dayText(iso: string): string {
  return days.format(new Date(iso));
}

/** "November 2026" */
export function monthText(iso: string): string {
  return months.format(new Date(iso));
}

/** `2026-11-21 12:00:00 UTC` */
export function utcText(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** "in 3 days", "2 hours ago" */
export function spanText(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const [unit, name] = SPANS.find(([size]) => Math.abs(seconds) >= size) ?? [1, 'second' as const];
  return spans.format(Math.trunc(seconds / unit), name);
}

export interface ErrorText {
  text: string;
  /** The errors of fields. */
  details: string[];
  /** The id of the request, which the visitor can tell the operator. */
  requestId: string | undefined;
}

export function errorText(error: unknown): ErrorText {
  if (error instanceof ProblemError) return problemText(error.body);
  if (error instanceof TypeError) return plainError('The service cannot be reached. Check your connection, and try again.');
  return plainError(error instanceof Error ? error.message : 'Something went wrong.');
}

function problemText(body: ProblemBody): ErrorText {
  const details = (body.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
  const again = body.retry_after ? ` Try again in ${countText(body.retry_after, 'second')}.` : '';
  const said = details.length ? body.title : (body.detail ?? body.title);
  return { text: sentence(said) + again, details, requestId: body.request_id };
}

function plainError(text: string): ErrorText {
  return { text, details: [], requestId: undefined };
}

/** Turns a detail of the API into a sentence. The name of a field keeps its case. */
export function sentence(text: string): string {
  const whole = /^[\w.[\]]+:/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ProblemError && error.body.status === status;
}
