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

export interface HeaderFooterTemplates {
  header: string | undefined;
  footer: string | undefined;
  /** Whether the document has an address to show. */
  addressed: boolean;
}

export function templateParameters({ header, footer, addressed }: HeaderFooterTemplates) {
  if (header === undefined && footer === undefined) return {};
  return { displayHeaderFooter: true, headerTemplate: wrapped(header, addressed), footerTemplate: wrapped(footer, addressed) };
}

/** A document to measure in. It can neither run script nor load anything. */
export const MEASURING_DOCUMENT = `<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'"><body style="margin: 0">`;

/**
 * Evaluates to the heights of header and footer, once their pictures are there. Each stands in a tree of its own, as it is put
 * into Chromium's: what it leaves open it cannot leave open for the other.
 */
export function measureExpression({ header, footer, addressed }: HeaderFooterTemplates, widthInches: number): string {
  const boxes = { header: FILLED_IN + wrapped(header, addressed), footer: FILLED_IN + wrapped(footer, addressed) };
  return `(${measure})(${JSON.stringify(boxes)}, ${widthInches})`;
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
declare const document: { createElement(name: 'div'): MeasuredBox; body: MeasuredBox };

// Runs in the page, sent as text.
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
  const images = boxes.flatMap((box) => [...box.querySelectorAll('img')]);
  await Promise.allSettled(images.map((image) => image.decode()));
  return boxes.map((box) => box.getBoundingClientRect().height);
}

/** The margin that keeps the text of the page clear of a header so high. */
export function clearance(heightPx: number): number {
  return heightPx / PX_PER_INCH + EDGE_INCHES + GAP_INCHES;
}

function wrapped(template: string | undefined, addressed: boolean): string {
  return template === undefined ? NOTHING : FONT + (addressed ? '' : NO_ADDRESS) + template;
}
