/** A document on one sheet as high as it is. */
import { ServiceError } from '../../errors.ts';
import type { PrintSettings } from './print-options.ts';

const PX_PER_INCH = 96;
/** 200 in is the largest side of a page (ISO 32000-1, annex C). */
const MAX_INCHES = 200;
/** Nothing the document says about pages may divide the sheet. In the first layer, `!important` wins over that of the document. */
export const NO_BREAKS = `@layer platen { *, *::before, *::after { break-before: auto !important; break-after: auto !important; page: auto !important } }`;

/** How wide the document is laid out, in CSS pixels. */
export function layoutWidth({ paper, margin, scale }: PrintSettings): number {
  return Math.max(1, Math.floor(((paper.widthInches - margin.left - margin.right) * PX_PER_INCH) / scale));
}

/** The settings for a sheet that holds content of this height. Throws `print_failed` where there is none so high. */
export function asSinglePage(settings: PrintSettings, heightPx: number): PrintSettings {
  const { paper, margin, scale } = settings;
  // One pixel more: a page that is a fraction too low would break.
  const heightInches = ((heightPx + 1) * scale) / PX_PER_INCH + margin.top + margin.bottom;
  if (heightInches > MAX_INCHES)
    throw new ServiceError(
      'print_failed',
      `singlePage: the page would be ${Math.ceil(heightInches)} inches high, at most ${MAX_INCHES} are possible`,
    );
  return { ...settings, paper: { ...paper, heightInches }, paperChosenBy: 'caller', marginChosenBy: 'caller' };
}

export function higherPage(single: PrintSettings, times: number): PrintSettings {
  const { paper, margin, scale } = single;
  return asSinglePage(single, ((paper.heightInches - margin.top - margin.bottom) * times * PX_PER_INCH) / scale);
}
