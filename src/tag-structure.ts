/** What a document states about itself, in document order. It is read from the page and written into the PDF. */

/** The position of an element, by which people find it in the document. */
export interface ElementLocation {
  selector: string;
  snippet: string;
}

/** An element with its accessible name, which assistive technology reads out. Empty if the document gives it none. */
export interface NamedElement extends ElementLocation {
  name: string;
}

/** A table cell: whether it has no tagged content, its column span and its row span. */
export type TableCell = [isEmpty: boolean, across: number, down: number];

export interface DocumentStructure {
  language: string;
  /** The language of `body`, which has no tag; empty if it is that of the document. */
  bodyLanguage: string;
  title: string;
  /** Elements whose language is not a language tag. */
  invalidLanguages: ElementLocation[];
  /**
   * `picture` is an `svg`, `img` or `canvas`, `group` a `figure`, and `role` another element with `role="img"`. `wrapper` is one of
   * which Chromium tags nothing, or an `svg` that cannot get the role.
   */
  images: Array<NamedElement & { kind: 'picture' | 'group' | 'role' | 'wrapper' }>;
  /** The text that is shown (`innerText`), that of shadow trees after the rest. */
  text: string;
  /** `level` counts from 1. `text` is the visible text, with that of images. */
  headings: Array<NamedElement & { level: number; text: string }>;
  /** `target` is an absolute address, or `#` with the name of a destination. `isHidden` means hidden from assistive technology. */
  links: Array<{ target: string; name: string; isHidden: boolean }>;
  /** `head` and `foot` are the numbers of rows in `thead` and `tfoot`; `rows` has the cells of all rows. */
  tables: Array<ElementLocation & { head: number; foot: number; rows: TableCell[][] }>;
  /** `role` is the `Role` attribute of the owner PrintField: `rb`, `cb`, `pb` or `tv`. */
  fields: Array<NamedElement & { role: string }>;
  /** Frames, embedded objects and media, whose content has no tags. */
  embedded: ElementLocation[];
  /** Elements with an effect that makes Chromium rasterize their content into one image, without text and tags. */
  rasterized: ElementLocation[];
}

/** The structure of the printed part of a document. */
export interface PrintedStructure extends DocumentStructure {
  /** Whether the PDF contains the whole document. */
  isWhole: boolean;
  /** Some characters without a glyph, by script. */
  missingGlyphs: string[];
}

export type FieldKind = 'text' | 'checkbox' | 'radio' | 'combo' | 'list' | 'signature';

export interface FieldOption {
  value: string;
  label: string;
  isSelected: boolean;
  /** The label of its group of options. */
  group: string;
  /** How it looks in a list, as CSS declarations. Empty for options of other controls. */
  css: string;
}

/** How a field shows its text. Lengths are in CSS pixels. */
export interface FieldStyle {
  /** The place of the border box of the control. */
  left: number;
  width: number;
  height: number;
  fontSize: number;
  /** The properties of its text, as CSS declarations. */
  css: string;
  /** The opacity of the control and all elements around it. */
  opacity: number;
  /** Red, green and blue, from 0 to 1. */
  color: number[];
  align: 'left' | 'center' | 'right';
  language: string;
  /** Border and padding together: top, right, bottom, left. */
  inset: number[];
  border: number[];
  /** How far its content is from the whole pixels to which Chromium moves its box. */
  offset: [x: number, y: number];
}

/** The look of a checkbox or radio button and its pseudo-elements, as CSS declarations; empty for those that it does not have. */
export interface BoxLook {
  box: string;
  before: string;
  after: string;
}

export interface BoxLooks {
  on: BoxLook;
  off: BoxLook;
  /** Whether the page shows the box as it is when off. Its look when on covers that. */
  isPrinted: boolean;
  /** How much larger than these styles say the box is. */
  scale: number;
}

/** A control that becomes a form field. `name` is its accessible name. */
export interface FormControl extends NamedElement {
  /** The index of the field in document order, counted from 0. */
  number: number;
  kind: FieldKind;
  /** The name of the signature place, else the `name` of the control, else its `id`. Empty if it has none of them. */
  key: string;
  /** Radio buttons with the same `set` and `form` belong together. Empty for other fields and for a radio button without a name. */
  set: string;
  form: number;
  /** The accessible name of a set of radio buttons. Empty if the document gives none. */
  group: string;
  /** The text, the value of the selected option, or the value of a checkbox or radio button. */
  value: string;
  /** The text that a text field or a combo box shows, which may be its placeholder. */
  shown: string;
  isChecked: boolean;
  options: FieldOption[];
  isReadOnly: boolean;
  isRequired: boolean;
  isPassword: boolean;
  isMultiLine: boolean;
  /** Whether several options can be selected. */
  isMultiple: boolean;
  /** Whether a text other than the options can be typed. */
  isEditable: boolean;
  /** Maximum number of characters, or 0 for no limit. */
  maxLength: number;
  style: FieldStyle;
  /** Of a checkbox or radio button: how it looks when it is on and off. Undefined if that is not known. */
  looks: BoxLooks | undefined;
  /** The attributes of a control for a date, a time or a number, which Chromium lays out differently from a text. */
  typed: { type: string; value: string; step: string } | undefined;
}
