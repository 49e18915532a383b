/** The smallest visible image: a PNG of one pixel, as bytes and as a `data:` URL. */

export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const PIXEL_URL = `data:image/png;base64,${PIXEL.toString('base64')}`;
