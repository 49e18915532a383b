import type { FormControl } from '../../tag-structure.ts';

/** The fields to add to a printed PDF. */
export interface Forms {
  /** A link to `KEY:7` marks the place of field 7; in a tagged PDF, its structure element has the description `KEY 7`. */
  key: string;
  /** Each field has exactly one link in the PDF. */
  fields: readonly FormControl[];
  /** Points per CSS pixel. */
  scale: number;
  /** PDFs that Chromium printed, with one page for each appearance. */
  appearances: Buffer[][];
  /** The field and state of each appearance, the index of its page, and its size in points, from the upper left corner. */
  shown: Array<{ field: number; state: 'on' | 'off' | undefined; page: number; width: number; height: number }>;
}
