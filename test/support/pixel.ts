/** The smallest image that shows: a PNG of one pixel, as bytes and as an address. */

export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const PIXEL_URL = `data:image/png;base64,${PIXEL.toString('base64')}`;
