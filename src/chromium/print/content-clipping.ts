/**
 * Reads what a document answers about content that its boxes hide. See docs/decisions/0033-what-a-report-tells.md.
 */
import { Type } from 'typebox';
import { MAX_CLIPPING_ELEMENTS } from '../../in-page/contract/limits.ts';
import { CLIPPED_SIDES, type Clipped } from '../../in-page/contract/questions.ts';
import { MAX_LENGTH_PX, shape } from '../devtools/evaluate.ts';

const MAX_NAME = 100;

/** The answer to `findClippedContent`. */
export const CLIPPED_CONTENT = shape(
  Type.Array(
    Type.Object({
      side: Type.Enum(CLIPPED_SIDES),
      pixels: Type.Number({ minimum: 0, maximum: MAX_LENGTH_PX }),
      element: Type.String(),
      count: Type.Integer({ minimum: 1, maximum: MAX_CLIPPING_ELEMENTS }),
    }),
    { maxItems: CLIPPED_SIDES.length + 1 },
  ),
);

/** Shortens the name of an element for a warning. */
export function shortName(element: string): string {
  return element.slice(0, MAX_NAME).toWellFormed();
}

export function inWholePixels({ side, pixels, element, count }: Clipped): Clipped {
  return { side, pixels: Math.ceil(pixels), element: shortName(element), count };
}
