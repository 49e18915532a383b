/**
 * Lets scripts draw canvases for paper: they find a higher `devicePixelRatio`. The scale factor of the device would also choose larger
 * images from `srcset`, and would round lines to its own pixels.
 */

/** As in Chromium, a document may replace the property. */
export function setPixelRatio(ratio: number): void {
  if (devicePixelRatio !== ratio)
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
