/** Prepares headers and footers: the caller's templates in, the templates for Chromium and their heights out. */

import { Type } from 'typebox';
import { PX_PER_INCH } from '../../units.ts';
import { MAX_LENGTH_PX, shape } from '../devtools/evaluate.ts';

/**
 * Chromium's default font size is a tenth of this and cannot be read, and its default family is that of the desktop. Templates
 * can override both. No element is put around a template, because templates rely on a row layout, as with puppeteer.
 */
const STYLE = 'font: 9pt sans-serif';
/** Otherwise, Chromium never prints the backgrounds of templates. */
const WITH_BACKGROUNDS = `${STYLE}; print-color-adjust: exact`;
/**
 * The distance from the edge of the sheet that Chromium uses (`#header` and `#footer`:
 * https://source.chromium.org/chromium/chromium/src/+/main:components/printing/resources/print_header_footer_template_page.html).
 */
export const EDGE_INCHES = 0.4 / 2.54;
/** The distance to the text. With the common `margin: auto`, half of it is above. */
const GAP_INCHES = 1 / 2.54;
/** Hides the URL `about:blank`. */
const NO_ADDRESS = '<style>.url { display: none !important }</style>';
const NOTHING = '<span></span>';
const Height = Type.Number({ minimum: 0, maximum: MAX_LENGTH_PX });

export interface HeaderFooterTemplates {
  header: string | undefined;
  footer: string | undefined;
  /** Whether the document has a URL to show. */
  addressed: boolean;
}

export function templateParameters(templates: HeaderFooterTemplates, printBackground: boolean) {
  const { header, footer } = templates;
  if (header === undefined && footer === undefined) return {};
  const style = printBackground ? WITH_BACKGROUNDS : STYLE;
  return {
    displayHeaderFooter: true,
    headerTemplate: wrapTemplate(header, templates, style),
    footerTemplate: wrapTemplate(footer, templates, style),
  };
}

/** The answer to `measureTemplates`. */
export const TEMPLATE_HEIGHTS = shape(Type.Tuple([Height, Height]));

/** The document in which templates are measured. It can neither run scripts nor load anything. */
export const MEASURING_DOCUMENT = `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'"><body style="margin: 0">`;

/** Returns the markup of header and footer that is to be measured. */
export function measuredMarkup(templates: HeaderFooterTemplates): [header: string, footer: string] {
  return [wrapTemplate(templates.header, templates), wrapTemplate(templates.footer, templates)];
}

/** Returns the margin that keeps the text of the page below a header of this height. */
export function clearance(heightPx: number): number {
  return heightPx / PX_PER_INCH + EDGE_INCHES + GAP_INCHES;
}

function wrapTemplate(template: string | undefined, { addressed }: HeaderFooterTemplates, style = STYLE): string {
  if (template === undefined) return NOTHING;
  return `<style>#header, #footer { ${style} }</style>${addressed ? '' : NO_ADDRESS}${template}`;
}
