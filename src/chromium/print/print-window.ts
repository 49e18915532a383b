/** Computes the window in which a document is laid out before it is printed: its style sheets and print settings in, pixels out. */
import { MAX_STYLE_CHARACTERS } from '../../in-page/contract/limits.ts';
import { DEFAULT_WINDOW, type Viewport } from '../devtools/emulation.ts';
import { type Declaration, readDeclarations } from '../page-css/css-statements.ts';
import { contentHighWidth, declaredSize, toInches } from './page-sizes.ts';
import type { PrintSettings } from './print-options.ts';
import { layoutWidth } from './single-page.ts';

type Margins = PrintSettings['margin'];

/** Chromium refuses a window of more than 10,000,000 pixels. No paper of 200 inches at the smallest scale is as wide as this. */
const MAX_WIDTH_PX = 1_000_000;
const SIDES = ['top', 'right', 'bottom', 'left'] as const;

/** The texts of style sheets. */
interface OtherStyles {
  /** They apply before those in the markup, whose order with them is not known. */
  linked: readonly string[];
  added: readonly string[];
}

/**
 * The window is as wide as the pages of the document between their margins, so that scripts which measure it draw for the paper.
 * Sizes and margins in the markup count if it may choose them. Of linked style sheets, only those that were sent with the document are
 * known before they have loaded.
 */
export function printWindow(settings: PrintSettings, html: string, { linked, added }: OtherStyles): Viewport {
  const mentions = [...linked, html, ...added].some((text) => /@page/i.test(text));
  const sheets = mentions ? takeCharacters([...linked, ...readStyles(html), ...added]) : [];
  const chosen = applyDocumentChoices(settings, sheets);
  return { ...DEFAULT_WINDOW, width: Math.min(MAX_WIDTH_PX, layoutWidth(chosen, Math.round)) }; // up to half a pixel more still fits on a page
}

/** What is inspected later is limited as well. */
function takeCharacters(texts: readonly string[]): string[] {
  let left = MAX_STYLE_CHARACTERS;
  return texts.map((text) => {
    const taken = text.slice(0, left);
    left -= taken.length;
    return taken;
  });
}

/**
 * Applies the `@page` rules that concern all pages. Later declarations override earlier ones. A size such as `80mm auto` is a single
 * page of this width.
 */
export function applyDocumentChoices(settings: PrintSettings, sheets: readonly string[]): PrintSettings {
  const declarations = sheets.flatMap((css) => [...readDeclarations(css)]).filter(concernsAllPages);
  let chosen = settings;
  if (settings.paperChosenBy === 'document')
    for (const { property, value } of declarations) if (property === 'size') chosen = applySize(chosen, value, settings);
  let { margin } = settings;
  if (settings.marginChosenBy === 'document')
    for (const { property, value } of declarations) margin = { ...margin, ...parseMargins(property, value, chosen.paper) };
  return { ...chosen, margin };
}

/** `initial` has the size without one. */
function applySize(settings: PrintSettings, value: string, { paper, singlePage }: PrintSettings): PrintSettings {
  const widthInches = contentHighWidth(value);
  if (widthInches) return { ...settings, paper: { ...paper, widthInches }, singlePage: true };
  const size = declaredSize(value, paper);
  return size ? { ...settings, paper: size, singlePage } : settings;
}

export function concernsAllPages({ within }: Declaration): boolean {
  return /^@page$/i.test(within.at(-1) ?? '') && !within.some((block) => /^@media\b(?!.*\b(?:print|all)\b)/i.test(block));
}

function parseMargins(property: string, value: string, paper: PrintSettings['paper']): Partial<Margins> {
  const values = value
    .replace(/!.*$/, '')
    .trim()
    .split(/\s+/)
    .map((length) => marginInches(length, paper.widthInches));
  const side = SIDES.find((each) => property === `margin-${each}`);
  if (values.some((length) => length === undefined)) return {};
  if (side) return { [side]: values[0] };
  const [top = 0, right = top, bottom = top, left = right] = values as number[];
  return property === 'margin' ? { top, right, bottom, left } : {};
}

/** Percentages are of the width of the page. */
function marginInches(length: string, widthInches: number): number | undefined {
  if (/^(?:\d+|\d*\.\d+)%$/.test(length)) return (Number.parseFloat(length) / 100) * widthInches;
  return length === '0' ? 0 : toInches(length);
}

/** Finds the text of the style elements. */
function* readStyles(html: string): Generator<string> {
  const [opening, closing] = [/<style\b/gi, /<\/style\b/gi];
  while (opening.test(html)) {
    const start = html.indexOf('>', opening.lastIndex) + 1;
    if (!start) return;
    closing.lastIndex = start;
    const end = closing.exec(html)?.index ?? html.length;
    yield html.slice(start, end);
    opening.lastIndex = end;
  }
}
