/** The units of lengths: CSS pixels on screens, points in PDFs, inches in the DevTools protocol. */

export const PX_PER_INCH = 96;
export const POINTS_PER_INCH = 72;
export const POINTS_PER_PX = POINTS_PER_INCH / PX_PER_INCH;
export const PX_PER_POINT = PX_PER_INCH / POINTS_PER_INCH;
