/** The options of a PDF that the request log keeps: choices, switches, numbers and lengths, which cannot have a text of the caller. */
import type { PdfOptions } from './schemas/options-schema.ts';

export interface LoggedOptions {
  kept: Partial<PdfOptions>;
  /** The names of the others, whose values are not kept. */
  leftOut: string[];
}

/** Their values are valid, so that strings are names of a list, lengths or page numbers. */
const KEPT: ReadonlyArray<keyof PdfOptions> = [
  ...(['format', 'width', 'height', 'landscape', 'margin', 'scale', 'fit', 'pageRanges', 'singlePage'] as const),
  ...(['printBackground', 'preferCSSPageSize', 'omitBackground', 'tagged', 'outline', 'forms', 'compress'] as const),
  ...(['conformance', 'images', 'mediaType', 'colorScheme', 'viewport', 'timezone', 'javascript', 'animations'] as const),
  ...(['waitUntil', 'waitForTimeout', 'resourceTimeout', 'timeout'] as const),
  ...(['failOnHttpStatus', 'failOnResourceError', 'failOnConsoleError', 'failOnWarning'] as const),
];
/** A list of pages or statuses can be as long as a text. */
const MAX_CHARACTERS = 200;

export function toLoggedOptions(options: PdfOptions = {}): LoggedOptions {
  const sent = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
  const isKept = ([name, value]: [string, unknown]) =>
    (KEPT as string[]).includes(name) && JSON.stringify(value).length <= MAX_CHARACTERS;
  return {
    kept: Object.fromEntries(sent.filter(isKept)),
    leftOut: sent.filter((option) => !isKept(option)).map(([name]) => name),
  };
}
