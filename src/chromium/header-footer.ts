/** Headers and footers: the caller's templates in, what Chromium prints above and below each page out. */

/**
 * Chromium's own size is a tenth of this: nobody sees it; its own family is that of the desktop. A template that says its own
 * wins. There is no element around it: templates rely on being laid out in a row, as with puppeteer.
 */
const FONT = '<style>#header, #footer { font: 9pt sans-serif }</style>';
/** Chromium fills them in when it prints; what measures them has to make room. */
const FILLED_IN = '<style>:is(.date, .title, .url, .pageNumber, .totalPages)::before { content: "Ag" }</style>';
/** Where Chromium puts them, from the edge of the sheet. */
const EDGE_INCHES = 0.4 / 2.54;
/** To the text; with `margin: auto`, as many write, half of it is above. */
const GAP_INCHES = 1 / 2.54;
/** `about:blank` is of no interest to anybody. */
const NO_ADDRESS = '<style>.url { display: none !important }</style>';
const NOTHING = '<span></span>';
const PX_PER_INCH = 96;

export interface Templates {
  header: string | undefined;
  footer: string | undefined;
  /** Whether the document has an address to show. */
  addressed: boolean;
}

export function templateParameters({ header, footer, addressed }: Templates) {
  if (header === undefined && footer === undefined) return {};
  return { displayHeaderFooter: true, headerTemplate: wrapped(header, addressed), footerTemplate: wrapped(footer, addressed) };
}

/** A document that shows both as they will be printed. It can neither run script nor load anything. */
export function measuringDocument({ header, footer, addressed }: Templates, widthInches: number): string {
  const policy = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'";
  const box = (id: string, html: string) => `<div id="${id}" style="display: flex; width: ${widthInches}in">${html}</div>`;
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">${FILLED_IN}<body style="margin: 0">${box('header', wrapped(header, addressed))}${box('footer', wrapped(footer, addressed))}`;
}

/** Evaluates to the heights of both, once their pictures are there. */
export const MEASURE = `Promise.allSettled([...document.images].map((image) => image.decode())).then(() =>
  ['header', 'footer'].map((id) => document.getElementById(id).getBoundingClientRect().height))`;

/** The margin that keeps the text of the page clear of a header so high. */
export function clearance(heightPx: number): number {
  return heightPx / PX_PER_INCH + EDGE_INCHES + GAP_INCHES;
}

function wrapped(template: string | undefined, addressed: boolean): string {
  return template === undefined ? NOTHING : FONT + (addressed ? '' : NO_ADDRESS) + template;
}
