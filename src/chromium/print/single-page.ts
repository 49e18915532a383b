/** Computes print settings for a document on one sheet of its height. */
import { ServiceError } from '../../errors.ts';
import { PX_PER_INCH } from '../../units.ts';
import type { PrintSettings } from './print-options.ts';

/** The largest side of a page is 200 inches (ISO 32000-1, annex C). */
const MAX_INCHES = 200;
/** Overrides page breaks of the document. In the first layer, `!important` precedes that of the document. */
export const NO_BREAKS = `@layer platen { *, *::before, *::after { break-before: auto !important; break-after: auto !important; page: auto !important } }`;

/** Returns the layout width of the document in CSS pixels. */
export function layoutWidth({ paper, margin, scale }: PrintSettings, round = Math.floor): number {
  return Math.max(1, round(((paper.widthInches - margin.left - margin.right) * PX_PER_INCH) / scale));
}

/** Returns the settings for a sheet with content of this height. Throws `print_failed` if it would be too high. */
export function toSinglePage(settings: PrintSettings, heightPx: number): PrintSettings {
  const { paper, margin, scale } = settings;
  // One pixel is added, because a page that is a fraction too low would break.
  const heightInches = ((heightPx + 1) * scale) / PX_PER_INCH + margin.top + margin.bottom;
  if (heightInches > MAX_INCHES)
    throw new ServiceError(
      'print_failed',
      `{option}: the page would be ${Math.ceil(heightInches)} inches high; the maximum is ${MAX_INCHES}`,
      { about: 'single_page' },
    );
  return { ...settings, paper: { ...paper, heightInches }, paperChosenBy: 'caller', marginChosenBy: 'caller' };
}

export function growPage(single: PrintSettings, times: number): PrintSettings {
  const { paper, margin, scale } = single;
  return toSinglePage(single, ((paper.heightInches - margin.top - margin.bottom) * times * PX_PER_INCH) / scale);
}
