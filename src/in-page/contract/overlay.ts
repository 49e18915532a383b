/** What is painted over the pages of a print. */

/** The width and height of the link that tells the scale of a print. Chromium shrinks documents in which it is wider than the page. */
export const RULER_PX = 10;

/** A place on a page. Lengths are in points from its top left corner. */
export interface OverlayBox {
  x: number;
  y: number;
  width: number;
  height: number;
  /** The scale of the document. At 1, a CSS pixel is 1/96 inch. */
  scale: number;
  /** What is painted: the name that it was registered with. */
  name: string;
  /** Texts that it shows, by the name of their place in it. */
  texts: Record<string, string>;
  /** The widths of its columns in points, if it is the row of a table. */
  columns?: number[];
}

/** All that is painted over a page, whose size is in points. */
export interface OverlaySheet {
  width: number;
  height: number;
  boxes: OverlayBox[];
  /** The number of its page in the document, from 1. */
  number: number;
}
