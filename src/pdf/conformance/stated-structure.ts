/** What a document says about its own structure, in the order of the document. */

/** Where something is, for people who look for it. */
export interface Place {
  selector: string;
  snippet: string;
}

/** Something with the name that assistive technology reads out; empty where the document gives it none. */
export interface Named extends Place {
  name: string;
}

/** A cell of a table: whether it shows nothing that is tagged, and its spans. */
export type StatedCell = [isEmpty: boolean, across: number, down: number];

export interface StatedStructure {
  language: string;
  title: string;
  /** Elements whose language is not a language tag. */
  strangeLanguages: Place[];
  /**
   * `picture` is one thing, `group` a `figure` element, `role` an element that says that it is one picture, and `wrapper` one that says
   * so of a drawing in it, which gets no tag.
   */
  images: Array<Named & { kind: 'picture' | 'group' | 'role' | 'wrapper' }>;
  /** `level` counts from 1. */
  headings: Array<Named & { level: number }>;
  /** `target` is an absolute address, or `#` with the name of a destination. */
  links: Array<{ target: string; name: string }>;
  /** With the number of rows of the head and of the foot, and the cells of each row. */
  tables: Array<Place & { head: number; foot: number; rows: StatedCell[][] }>;
  /** `role` is that of the attribute owner PrintField. */
  fields: Array<Named & { role: string }>;
  /** Frames and embedded objects, whose content has no tags. */
  embedded: Place[];
  /** Whether all of the document is in the PDF. */
  isWhole: boolean;
  /** Characters without a glyph, such as `U+E000`. */
  missingGlyphs: string[];
}
