/** Marks the renders of test keys: a watermark on every page of a PDF, and text all over an image. */
import type { CapturedImage, CaptureSettings } from '../../chromium/capture/capture-settings.ts';
import { DEFAULT_LOAD } from '../../chromium/load/load-settings.ts';
import type { CaptureOrder } from '../image.ts';
import { ValidationErrors } from '../request/values/validation-errors.ts';
import { parseWatermark } from '../request/watermark-options.ts';

export const TEST_TEXT = 'TEST';
const OPACITY = 0.25;
/** CSS pixels from one text to the next, if the image is that large. */
const TILE = 240;

/** Replaces the watermark of the request. */
export const TEST_WATERMARK = parseWatermark({ text: TEST_TEXT, opacity: OPACITY }, new ValidationErrors());

/** A new document that shows the image under the mark. It contains nothing of the original document but the image. */
export function imageMark(
  { image, width, height }: CapturedImage,
  { type, quality }: CaptureSettings,
  transparent: boolean,
): CaptureOrder {
  const tile = Math.min(TILE, width, height);
  const text = `<text x="50" y="50" transform="rotate(-45 50 50)" text-anchor="middle" dominant-baseline="middle" font-family="sans-serif" font-weight="bold" font-size="34" fill="#808080" fill-opacity="${2 * OPACITY}">${TEST_TEXT}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="${tile}" height="${tile}">${text}</svg>`;
  const size = `position: absolute; left: 0; top: 0; width: ${width}px; height: ${height}px`;
  const html = `<!doctype html><title>image</title><style>body { margin: 0 } img { ${size} } div { ${size}; background: url("data:image/svg+xml,${encodeURIComponent(svg)}") }</style><img alt="" src="image"><div></div>`;
  const assets = new Map([['image', { type: `image/${type}`, content: image }]]);
  return {
    content: { kind: 'html', html, baseUrl: undefined, assets },
    load: { ...DEFAULT_LOAD, device: { ...DEFAULT_LOAD.device, mediaType: 'screen', transparent } },
    capture: { type, quality, area: { kind: 'clip', clip: { x: 0, y: 0, width, height } }, deviceScaleFactor: 1 },
    hanLanguages: '',
  };
}
