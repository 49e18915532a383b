/** What a document states about itself, in the order of the document: read from its page, and written into its PDF. */

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
  /** `role` is that of the attribute owner PrintField: `rb`, `cb`, `pb` or `tv`. */
  fields: Array<Named & { role: string }>;
  /** Frames and embedded objects, whose content has no tags. */
  embedded: Place[];
  /** Elements with an effect for which Chromium draws all that is in them as one image, without text and tags. */
  rasterized: Place[];
}

/** The same for the part of it that was printed. */
export interface PrintedStructure extends StatedStructure {
  /** Whether all of the document is in the PDF. */
  isWhole: boolean;
  /** Characters without a glyph, such as `U+E000`. */
  missingGlyphs: string[];
}

export type FieldKind = 'text' | 'checkbox' | 'radio' | 'combo' | 'list' | 'signature';

export interface FieldOption {
  value: string;
  label: string;
  isSelected: boolean;
}

/** How a field shows its text. Lengths are in CSS pixels. */
export interface FieldStyle {
  /** Of the control, from border to border. */
  height: number;
  fontSize: number;
  /** `font-style`, `font-weight` and `font-family`, as CSS. */
  fontStyle: string;
  fontWeight: string;
  fontFamily: string;
  lineHeight: string;
  letterSpacing: string;
  /** Red, green and blue, from 0 to 1. */
  color: number[];
  align: 'left' | 'center' | 'right';
  direction: 'ltr' | 'rtl';
  language: string;
  /** Border and padding together: top, right, bottom, left. */
  inset: number[];
}

/** Its `name` is what assistive technology reads out. */
export interface StatedField extends Named {
  /** Counted from 0, in the order of the document. */
  number: number;
  kind: FieldKind;
  /** The `name` of the control, else its `id`; empty where it has neither. */
  key: string;
  /** Radio buttons of the same name belong together in the same form. Empty for all else, and for one that stands alone. */
  set: string;
  form: number;
  /** What a set of radio buttons is called; empty where the document does not say. */
  group: string;
  /** The text, or what a checkbox or radio button stands for. */
  value: string;
  /** What a text or the choice of one option shows. */
  shown: string;
  isChecked: boolean;
  options: FieldOption[];
  isReadOnly: boolean;
  isRequired: boolean;
  isPassword: boolean;
  isMultiLine: boolean;
  /** Whether several options can be selected. */
  isMultiple: boolean;
  /** Whether a text beside the options can be typed. */
  isEditable: boolean;
  /** In characters; 0 for no limit. */
  maxLength: number;
  style: FieldStyle;
}
