import type { StatedField } from '../../stated.ts';

/** The fields to add to a printed PDF. */
export interface Forms {
  /** A link to `KEY:7` tells where the field of the number 7 is; in a tagged PDF, its element has the description `KEY 7`. */
  key: string;
  /** Each has exactly one link. */
  fields: readonly StatedField[];
  /** Points to a CSS pixel. */
  scale: number;
  /** PDFs that Chromium printed, with one page for each field that shows a text. */
  appearances: Buffer[][];
  /** The field of each of these pages, in their order, and its size in points, from the upper left corner. */
  shown: Array<{ field: number; width: number; height: number }>;
}
