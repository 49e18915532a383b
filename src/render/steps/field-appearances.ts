/**
 * Makes the appearances of form fields: the fields of a document and their sizes in, print jobs out, with a page for each field that
 * shows text. Chromium prints them, so that every script and every installed font can be used.
 */
import type { PrintJob } from '../../chromium/print-once.ts';
import { type FieldSize, fieldSizes } from '../../pdf/forms/field-places.ts';
import type { FormControl } from '../../tag-structure.ts';
import { POINTS_PER_PX, PX_PER_INCH } from '../../units.ts';
import { fieldPage, fieldPages, type State } from './field-pages.ts';
import { generatedPage } from './generated-page.ts';

export interface FieldAppearances {
  /** Points per CSS pixel. */
  scale: number;
  /** What is shown, and the index of its page. Fields that look the same share one. */
  shown: Array<{ field: number; state: State; page: number } & FieldSize>;
  /** The number of pages. */
  pages: number;
  /** Print jobs for these pages, with at most `MAX_PAGES` each. */
  jobs: PrintJob[];
}

/** Maximum number of pages of one print: Chromium takes 2 seconds for 1,000 pages, but 12 for 2,000. */
const MAX_PAGES = 250;
/** Tolerance for rounding. */
const SPARE_PX = 2;
/** If a field is taller on paper than its control by more than this factor, its link encloses several copies of the control. */
const MAX_STRETCH = 1.5;
/** Makes `unplaced` of a print job. It also reports fields that are much taller than in the document, such as repeated ones. */
export function unplacedFields(key: string, printScale: number): (chunks: Buffer[], fields: readonly FormControl[]) => number[] {
  return (chunks, fields) => {
    const sizes = fieldSizes(chunks, key);
    const scale = Math.min(findScale(fields, sizes), POINTS_PER_PX * printScale);
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

/** `printed` tells how the document was printed. */
export function fieldAppearances(
  fields: readonly FormControl[],
  sizes: ReadonlyMap<number, FieldSize>,
  printed: { background: boolean; scale: number },
): FieldAppearances {
  const expected = POINTS_PER_PX * printed.scale;
  const scale = areScaled(fields, sizes, expected) ? expected : findScale(fields, sizes);
  const isAtItsPlace = haveSameLayout(fields, sizes, scale);
  const pages = new Map<string, FieldPage>();
  const shown = fields.flatMap((field) => {
    const size = sizes.get(field.number);
    if (!size) throw new Error('a form field has no position in the printed PDF');
    const [x, y] = field.style.offset;
    const offset: [number, number] = [isAtItsPlace(field) ? x : 0, y];
    return listStates(field).map((state) => {
      const html = fieldPage(
        { ...field, style: { ...field.style, offset } },
        state,
        snapToExact(size.width / scale, field.style.width),
        snapToExact(size.height / scale, field.style.height),
      );
      const page = pages.get(html) ?? { html, index: pages.size, ...size };
      pages.set(html, page);
      return { field: field.number, state, page: page.index, ...size };
    });
  });
  return {
    scale,
    shown,
    pages: pages.size,
    jobs: inParts([...pages.values()]).map((part) => toPrintJob(part, scale, printed.background)),
  };
}

/**
 * Makes a test of whether a field is as far from the left on paper as in the window, but for the margin, which most fields share. In a
 * layout of another width, nothing is known of the fractions of pixels.
 */
function haveSameLayout(fields: readonly FormControl[], sizes: ReadonlyMap<number, FieldSize>, scale: number) {
  const marginOf = ({ number, style }: FormControl) =>
    Math.round((sizes.get(number)?.left ?? 0) / scale - Math.round(style.left));
  const counts = new Map<number, number>();
  for (const margin of fields.map(marginOf)) counts.set(margin, (counts.get(margin) ?? 0) + 1);
  const [usual] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  return (field: FormControl) => marginOf(field) === usual;
}

type FieldPage = { html: string; index: number } & FieldSize;

/** The exact side of a box, whose printed one is of whole pixels, unless the layout on paper is another one. */
function snapToExact(printed: number, exact: number): number {
  return Math.abs(printed - exact) < 1 ? exact : printed;
}

/** What a field shows on a page: a text, a box that is on, or one that is off, unless the page shows that. */
function listStates(field: FormControl): State[] {
  if (field.looks) return field.looks.isPrinted ? ['on'] : ['on', 'off'];
  return showsText(field) ? [undefined] : [];
}

function inParts<T>(all: T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += MAX_PAGES) parts.push(all.slice(at, at + MAX_PAGES));
  return parts;
}

/** Whether most fields are printed in this scale. Their boxes are of whole pixels, so that their measure is not exact. */
function areScaled(fields: readonly FormControl[], sizes: ReadonlyMap<number, FieldSize>, scale: number): boolean {
  const isScaled = ({ number, style }: FormControl) => Math.abs((sizes.get(number)?.height ?? 0) / scale - style.height) < 1;
  return fields.filter(isScaled).length >= fields.length / 2;
}

/** The scale of the print: the median of the ratios of heights, which seldom depend on the width of the paper. */
function findScale(fields: readonly FormControl[], sizes: ReadonlyMap<number, FieldSize>): number {
  const ratios = fields.flatMap(({ number, style }) => {
    const size = sizes.get(number);
    return size ? [size.height / style.height] : [];
  });
  return ratios.sort((one, other) => one - other)[(ratios.length - 1) >> 1] ?? POINTS_PER_PX;
}

function showsText({ kind, shown, options, typed }: FormControl): boolean {
  if (typed) return true;
  return kind === 'list' ? options.length > 0 : /^(?:text|combo)$/.test(kind) && shown !== '';
}

function toPrintJob(pages: FieldPage[], scale: number, printBackground: boolean): PrintJob {
  const side = (sizes: number[]) => (Math.ceil(Math.max(...sizes)) + SPARE_PX) / PX_PER_INCH;
  const widthInches = side(pages.map(({ width }) => width / scale));
  const heightInches = side(pages.map(({ height }) => height / scale));
  const job = generatedPage(fieldPages(pages.map(({ html }) => html)), widthInches, heightInches);
  return { ...job, print: { ...job.print, printBackground, pageRanges: '' } };
}
