/** What a document tells about the elements whose places on pages a caller asks for. */

/** The answer to `placeLayoutLinks`. */
export interface LayoutLinks {
  /** The index of a selector that is not valid. */
  invalid: number | null;
  /** The numbers of the boxes that each selector selects, -1 for elements without a box. Null if there are too many. */
  selected: number[][] | null;
  /** In the order of the document. */
  boxes: LayoutBox[];
}

export interface LayoutBox extends BreakCauses {
  /** The number of the last box in it. */
  last: number;
  /** The box above it, if it has a number. */
  previous: number | null;
  /** The box as seen from the link in it or from its destination, if there is one. Links over boxes in tables would take 10 ms each. */
  fromMark: RelativeBox | null;
  /** The name of the destination that tells where its corner is, instead of a link. */
  destination: string | null;
  /** How far its right edge is from that of the page, if that does not depend on the width of the page. */
  toRightPx: number | null;
}

/** Lengths in CSS pixels, from a link or the corner of another box. */
export type RelativeBox = Record<'x' | 'y' | 'width' | 'height', number>;

/** The answer to `prepareLastBlock`. */
export interface LastBlock {
  /** The paddings and borders below the block in CSS pixels. */
  tailPx: number;
}

/** What may look wrong on pages. Links to `KEY:risk-N` tell whether it does. */
export interface PageRisk {
  kind: (typeof RISK_KINDS)[number];
  /** Such as `div.main`. */
  element: string;
  /** Why a rule for breaks has no effect. */
  reason: string;
  /** The names of the destinations of the element and of what belongs to it, if its pages are all that matters. */
  destinations: [element: string, next: string] | null;
  /** A fixed box as seen from the link in it. */
  fromMark: RelativeBox | null;
  /** What a diagram or an absolutely positioned box paints, as seen from its corner. */
  paints: RelativeBox[];
  /** What may be below it, over which are links to `KEY:risk-N-text-M`. */
  texts: PlacedText[];
}

/** A block with lines of text, as seen from its corner. */
export interface PlacedText {
  element: string;
  heightPx: number;
  lines: RelativeBox[];
}

export const RISK_KINDS = [
  'break_ignored',
  'box_divided',
  'box_separated',
  'heading_alone',
  'picture_cut',
  'text_cut',
  'diagram_cut',
  'page_covered',
  'text_covered',
] as const;

/** Why a page may begin with a box. Lengths are in CSS pixels. */
export interface BreakCauses {
  isForced: boolean;
  isAvoided: boolean;
  isMonolithic: boolean;
  /** The room that it and the boxes that begin with it leave free above its content, and that repeated rows take. */
  leadPx: number;
  /** The height of a line, or 0 if it does not begin with text. */
  linePx: number;
  /** The number of its lines if it has nothing but text, or 0. */
  lines: number;
}

/** With what the ids begin that boxes get, so that destinations tell where they are. */
export function layoutPrefix(key: string): string {
  return `${key}l`;
}
