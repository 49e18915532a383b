/**
 * Lets scripts draw canvases for paper: they find a higher `devicePixelRatio`. The scale factor of the device would also choose larger
 * images from `srcset`, and would round lines to its own pixels.
 */

/**
 * Also sets the ratio that the window has at present, because the device may change. A document may replace the property:
 * https://drafts.csswg.org/cssom-view/#dom-window-devicepixelratio
 */
export function setPixelRatio(ratio: number): void {
  Object.defineProperty(window, 'devicePixelRatio', { value: ratio, writable: true, enumerable: true, configurable: true });
}

/** A frame whose parent can be accessed has its ratio. */
export function takeRatioOfParent(): void {
  try {
    if (window !== top) setPixelRatio(parent.devicePixelRatio);
  } catch {
    // the parent has another origin
  }
}
