/**
 * How far the text of a field is from the edges of its control: a field in, margins in points out. Viewers know nothing of the padding
 * of a box. They begin a text at the edge of its field and center a single line, so the field is smaller than its box.
 */
import type { FormControl } from '../../tag-structure.ts';

/** The distance that viewers leave between the edge of a field and its text. */
const VIEWER_PADDING = 2;
/** The least height of a field, as a multiple of its font size. */
const LEAST_LINE = 1.3;

export type Margins = [top: number, right: number, bottom: number, left: number];

/** Returns zeros for fields without text, and for sides between which no text would fit. */
export function textMargins({ kind, isMultiLine, style }: FormControl, scale: number): Margins {
  if (kind === 'signature' || kind === 'checkbox' || kind === 'radio') return [0, 0, 0, 0];
  const [top = 0, right = 0, bottom = 0, left = 0] = style.inset.map((side) => side * scale);
  const beyond = (side: number) => Math.max(0, side - VIEWER_PADDING);
  const hasButton = (side: string) => kind === 'combo' && style.align !== side; // that of a viewer covers that of the document
  const hasLines = isMultiLine || kind === 'list';
  const least = style.fontSize * LEAST_LINE * scale;
  const [above, below] = fitMargins(
    hasLines ? [beyond(top), 0] : [Math.max(0, top - bottom), Math.max(0, bottom - top)],
    style.height * scale - least,
  );
  const [before, after] = fitMargins(
    [hasButton('left') ? 0 : beyond(left), hasButton('right') ? 0 : beyond(right)],
    style.width * scale - least,
  );
  return [above, after, below, before];
}

function fitMargins([one, other]: [number, number], room: number): [number, number] {
  return one + other > room ? [0, 0] : [one, other];
}
