/** The form fields of the routes that draw pages as images. */
import { badSyntax, type Field, type Fields, parseChoice, text, unparsable } from './read-field.ts';

const MAX_DPI = 2_400;
export const BEST_QUALITY = 100;

const wholeNumber = (most: number): Field => ({ read: (given) => readWholeNumber(given, most) || undefined });
const OF_BOTH: Fields = { dpi: wholeNumber(MAX_DPI), quality: wholeNumber(BEST_QUALITY) };
const format = (...names: string[]): Field => ({ read: (given) => parseChoice(given, names) });

/** By the route: that of version 8, and that of version 9. */
export const IMAGE_FIELDS = {
  'convert/image': {
    ...OF_BOTH,
    format: format('png', 'jpeg', 'tiff'),
    firstPage: wholeNumber(9_999_999),
    lastPage: wholeNumber(9_999_999),
  },
  render: { ...OF_BOTH, format: format('png', 'jpeg'), pages: text() },
} as const satisfies Readonly<Record<string, Fields>>;

export type ImageRoute = keyof typeof IMAGE_FIELDS;

/** Clients of some languages send 0 for nothing. */
function readWholeNumber(given: string, most: number): number {
  if (!/^[-+]?\d+$/.test(given)) throw unparsable(given, badSyntax('Atoi', given));
  const value = Number(given);
  if (value >= 0 && value <= most) return value;
  throw new Error(`must be a whole number from 1 to ${most}`);
}
