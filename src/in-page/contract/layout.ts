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
  /** The box as seen from the link in it, if there is one. Links over boxes in tables would take 10 ms each. */
  fromLink: Record<'x' | 'y' | 'width' | 'height', number> | null;
}

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
  /** Why a break has no effect. */
  reason: string;
  /** A fixed box as seen from the link in it. */
  fromLink: LayoutBox['fromLink'];
}

export const RISK_KINDS = ['break_ignored', 'heading_alone', 'box_cut', 'content_covered'] as const;

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
