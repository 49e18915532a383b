/**
 * Lets scripts draw canvases for paper: they find a higher `devicePixelRatio`. The scale factor of the device would also choose larger
 * images from `srcset`, and would round lines to its own pixels.
 */

/** Device pixels per CSS pixel on paper: 192 dpi at full size. */
const PAPER_RATIO = 2;

/** Must be evaluated in a window before any script of a document that is printed. */
export const PAPER_PIXELS = `(${setPixelRatio})(${PAPER_RATIO})`;

/** Must be evaluated in every window: a frame whose parent can be accessed has its ratio. */
export const PIXELS_OF_PARENT = `(() => { ${setPixelRatio} try { if (self !== top) setPixelRatio(parent.devicePixelRatio) } catch {} })()`;

// Runs in the page, sent as text. As in Chromium, a document may replace the property.
function setPixelRatio(ratio: number): void {
  if (devicePixelRatio !== ratio)
    Object.defineProperty(globalThis, 'devicePixelRatio', { value: ratio, writable: true, enumerable: true, configurable: true });
}

// Typed loosely: this project's code runs in Node and has no DOM types.
declare const devicePixelRatio: number;
