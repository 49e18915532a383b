/** Prepares headers and footers: the caller's templates in, the templates for Chromium and their heights out. */

import { Type } from 'typebox';
import { MAX_LENGTH_PX, shape } from '../devtools/evaluate.ts';
import { type Face, type facesIn as FacesIn, FONT_FUNCTIONS } from './template-fonts.ts';

/**
 * Chromium's default font size is a tenth of this and cannot be read, and its default family is that of the desktop. Templates
 * can override both. No element is put around a template, because templates rely on a row layout, as with puppeteer.
 */
const STYLE = 'font: 9pt sans-serif';
/** Otherwise, Chromium never prints the backgrounds of templates. */
const WITH_BACKGROUNDS = `${STYLE}; print-color-adjust: exact`;
/** Chromium fills these elements when it prints, so that measuring needs sample text. */
const FILLED_IN = '<style>:is(.date, .title, .url, .pageNumber, .totalPages)::before { content: "Ag" }</style>';
/** The distance from the edge of the sheet that Chromium uses. */
const EDGE_INCHES = 0.4 / 2.54;
/** The distance to the text. With the common `margin: auto`, half of it is above. */
const GAP_INCHES = 1 / 2.54;
/** Hides the URL `about:blank`. */
const NO_ADDRESS = '<style>.url { display: none !important }</style>';
const NOTHING = '<span></span>';
const PX_PER_INCH = 96;
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
    headerTemplate: wrapped(header, templates, style),
    footerTemplate: wrapped(footer, templates, style),
  };
}

/** What `measureExpression` evaluates to, in CSS pixels. */
export const TEMPLATE_HEIGHTS = shape(Type.Tuple([Height, Height]));

/** The document in which templates are measured. It can neither run scripts nor load anything. */
export const MEASURING_DOCUMENT = `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'"><body style="margin: 0">`;

/**
 * Evaluates to the heights of header and footer, once their images and fonts have loaded. Each is in its own shadow tree, so that
 * unclosed elements of one do not affect the other, as in Chromium.
 */
export function measureExpression(templates: HeaderFooterTemplates, widthInches: number): string {
  const { header, footer } = templates;
  const boxes = { header: FILLED_IN + wrapped(header, templates), footer: FILLED_IN + wrapped(footer, templates) };
  return `(() => { ${FONT_FUNCTIONS.join(' ')}; ${measure}; return measure(${JSON.stringify(boxes)}, ${widthInches}) })()`;
}

interface MeasuredBox {
  id: string;
  innerHTML: string;
  style: { cssText: string };
  attachShadow(options: { mode: 'open' }): MeasuredBox;
  append(...nodes: unknown[]): void;
  getBoundingClientRect(): { height: number };
  querySelectorAll(selector: 'img'): Iterable<{ decode(): Promise<void> }>;
}

// Typed loosely: this project's code runs in Node and has no DOM types.
declare const document: { createElement(name: 'div'): MeasuredBox; body: MeasuredBox; fonts: { add(face: Face): void } };
declare const facesIn: typeof FacesIn;

// This function is sent as text and runs in the page.
async function measure(templates: Record<string, string>, widthInches: number): Promise<number[]> {
  const boxes = Object.entries(templates).map(([id, html]) => {
    const [host, box] = [document.createElement('div'), document.createElement('div')];
    box.id = id;
    box.style.cssText = `display: flex; width: ${widthInches}in`;
    box.innerHTML = html;
    host.attachShadow({ mode: 'open' }).append(box);
    document.body.append(host);
    return box;
  });
  // Fonts that a shadow tree declares apply only to the document.
  const faces = Object.values(templates).flatMap(facesIn);
  for (const face of faces) document.fonts.add(face);
  const images = boxes.flatMap((box) => [...box.querySelectorAll('img')]);
  await Promise.allSettled([...faces.map((face) => face.load()), ...images.map((image) => image.decode())]);
  return boxes.map((box) => box.getBoundingClientRect().height);
}

/** Returns the margin that keeps the text of the page below a header of this height. */
export function clearance(heightPx: number): number {
  return heightPx / PX_PER_INCH + EDGE_INCHES + GAP_INCHES;
}

function wrapped(template: string | undefined, { addressed }: HeaderFooterTemplates, style = STYLE): string {
  if (template === undefined) return NOTHING;
  return `<style>#header, #footer { ${style} }</style>${addressed ? '' : NO_ADDRESS}${template}`;
}
