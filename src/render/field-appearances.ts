/**
 * Makes the appearances of form fields: the fields of a document and their sizes in, print jobs out, with a page for each field that
 * shows text. Chromium prints them, so that every script and every installed font can be used.
 */
import { createHash, randomBytes } from 'node:crypto';
import { DEFAULT_DEVICE } from '../chromium/devtools/emulation.ts';
import { type Content, DEFAULT_LOAD } from '../chromium/load/load-settings.ts';
import type { PrintJob } from '../chromium/page.ts';
import type { FieldOption, FormControl } from '../document-structure.ts';
import { type FieldSize, fieldSizes } from '../pdf/forms/field-places.ts';
import { escapeHtml } from './escape-html.ts';
import { GENERATED_PAGE } from './generated-page.ts';

export interface FieldAppearances {
  /** Points per CSS pixel. */
  scale: number;
  /** The fields that have a page, in the order of the pages. */
  shown: Array<{ field: number } & FieldSize>;
  /** Print jobs for these pages, with at most `MAX_PAGES` each. */
  jobs: PrintJob[];
}

const POINTS_PER_PX = 0.75;
const PX_PER_INCH = 96;
/** Maximum number of pages of one print: Chromium takes 2 seconds for 1,000 pages, but 12 for 2,000. */
const MAX_PAGES = 250;
/** Tolerance for rounding. */
const SPARE_PX = 2;
/** Boxes with size containment are never split between pages. */
const STYLE = `*, *::before { box-sizing: border-box } body { margin: 0 } div { overflow: hidden; contain: strict; white-space: pre } div + div { break-before: page }
.line { display: flex; align-items: center } .line > span { flex: 1; min-width: 0 } .text { white-space: pre-wrap; overflow-wrap: break-word }
.list > span { display: block; padding: 0 2px } .list > .chosen { background: #cecece }`;
/** If a field is taller on paper than its control by more than this factor, its link encloses several copies of the control. */
const MAX_STRETCH = 1.5;
/** Random for each process. Documents must not know it. */
const SALT = randomBytes(16);

/**
 * The key that begins the addresses of links over the fields of a document. It is a digest of the document, so that the document
 * cannot contain it and no text can forge such a link. The same document always has the same key.
 */
export function fieldKey(content: Content): string {
  const hash =
    content.kind === 'url' ? createHash('sha256').update(SALT).update(content.url) : createHash('sha256').update(content.html);
  return `platen-field-${hash.digest('hex').slice(0, 32)}`;
}

/** Makes `unplaced` of a print job. It also reports fields that are much taller than in the document, such as repeated ones. */
export function unplacedFields(key: string, printScale: number): (chunks: Buffer[], fields: readonly FormControl[]) => number[] {
  return (chunks, fields) => {
    const sizes = fieldSizes(chunks, key);
    const scale = Math.min(scaleOf(fields, sizes), POINTS_PER_PX * printScale);
    const isPlaced = ({ number, style }: FormControl) => {
      const size = sizes.get(number);
      return size !== undefined && size.height <= style.height * scale * MAX_STRETCH + SPARE_PX;
    };
    const unplaced = new Set(fields.filter((field) => !isPlaced(field)));
    const sets = new Set([...unplaced].flatMap(setOf));
    return fields.filter((field) => unplaced.has(field) || setOf(field).some((set) => sets.has(set))).map(({ number }) => number);
  };
}

/** The set of a radio button, empty for other fields. Either all buttons of a set become fields, or none. */
function setOf({ set, form }: FormControl): string[] {
  return set ? [`${form} ${set}`] : [];
}

export function fieldAppearances(fields: readonly FormControl[], sizes: ReadonlyMap<number, FieldSize>): FieldAppearances {
  const scale = scaleOf(fields, sizes);
  const shown = fields.flatMap((field): Shown[] => {
    const size = sizes.get(field.number);
    if (!size) throw new Error('a form field has no position in the printed PDF');
    return showsText(field) ? [{ field, ...size }] : [];
  });
  return {
    scale,
    shown: shown.map(({ field, ...size }) => ({ field: field.number, ...size })),
    jobs: inParts(shown).map((part) => jobOf(part, scale)),
  };
}

type Shown = { field: FormControl } & FieldSize;

function inParts<T>(all: T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += MAX_PAGES) parts.push(all.slice(at, at + MAX_PAGES));
  return parts;
}

/** The scale of the print: the median of the ratios of heights, which seldom depend on the width of the paper. */
function scaleOf(fields: readonly FormControl[], sizes: ReadonlyMap<number, FieldSize>): number {
  const ratios = fields.flatMap(({ number, style }) => {
    const size = sizes.get(number);
    return size ? [size.height / style.height] : [];
  });
  return ratios.sort((one, other) => one - other)[(ratios.length - 1) >> 1] ?? POINTS_PER_PX;
}

function showsText({ kind, shown, options, isPassword }: FormControl): boolean {
  if (isPassword) return false;
  return kind === 'list' ? options.length > 0 : /^(?:text|combo)$/.test(kind) && shown !== '';
}

function jobOf(shown: Shown[], scale: number): PrintJob {
  const pages = shown.map(({ field, width, height }) => pageOf(field, width / scale, height / scale));
  const side = (sizes: number[]) => (Math.ceil(Math.max(...sizes)) + SPARE_PX) / PX_PER_INCH;
  const widthInches = side(shown.map(({ width }) => width / scale));
  const heightInches = side(shown.map(({ height }) => height / scale));
  const html = `<!doctype html><html lang=""><title>fields</title><style>${STYLE}</style>${pages.join('')}`;
  return {
    content: { kind: 'html', html, baseUrl: undefined },
    load: { ...DEFAULT_LOAD, device: { ...DEFAULT_DEVICE, javascript: false }, offline: true },
    print: {
      ...GENERATED_PAGE,
      pageRanges: '',
      paper: { widthInches, heightInches },
      paperChosenBy: 'caller',
      marginChosenBy: 'caller',
    },
  };
}

function pageOf(field: FormControl, width: number, height: number): string {
  const { style, kind, isMultiLine } = field;
  const [top, bottom] = within(height, style.inset[0], style.inset[2]);
  const [left, right] = within(width, style.inset[3], style.inset[1]);
  const css = [
    `width:${width}px;height:${height}px;padding:${top}px ${right}px ${bottom}px ${left}px`,
    `font-style:${style.fontStyle};font-weight:${style.fontWeight};font-size:${style.fontSize}px;font-family:${style.fontFamily}`,
    `line-height:${style.lineHeight};letter-spacing:${style.letterSpacing};text-align:${style.align};direction:${style.direction}`,
    `color:rgb(${style.color.map((part) => Math.round(part * 255)).join(' ')})`,
  ];
  const kindOfBox = kind === 'list' ? 'list' : isMultiLine ? 'text' : 'line';
  const inner = kind === 'list' ? field.options.map(rowOf).join('') : `<span>${escapeHtml(field.shown)}</span>`;
  return `<div class="${kindOfBox}" lang="${escapeHtml(style.language)}" style="${escapeHtml(css.join(';'))}">${inner}</div>`;
}

function rowOf({ label, isSelected }: FieldOption): string {
  return `<span${isSelected ? ' class="chosen"' : ''}>${escapeHtml(label) || '&nbsp;'}</span>`;
}

/** Shrinks the insets of a side if they leave no room for the text. */
function within(side: number, before = 0, after = 0): [before: number, after: number] {
  const share = Math.min(1, side / (before + after || 1));
  return [before * share, after * share];
}
