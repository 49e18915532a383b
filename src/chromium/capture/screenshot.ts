/** Takes a screenshot of the loaded document: the area and the format in, the bytes of an image out. */
import { Type } from 'typebox';
import { ServiceError } from '../../errors.ts';
import type { Box } from '../../in-page/contract/questions.ts';
import type { BrowserSettings } from '../browser-settings.ts';
import { ask } from '../devtools/ask.ts';
import { DevToolsError, MAX_SCREENSHOT_ANSWER_BYTES, type Session, TOO_LARGE } from '../devtools/connection.ts';
import { MAX_LENGTH_PX, shape } from '../devtools/evaluate.ts';
import type { Step } from '../devtools/step.ts';
import type { CaptureQueue } from './capture-queue.ts';
import type { CapturedImage, CaptureSettings, ImageType } from './capture-settings.ts';

type Limits = Pick<BrowserSettings, 'maxImagePixels' | 'maxPdfBytes'>;

/**
 * The longest side in pixels that the format allows and that Chromium can draw at once. WebP has 14 bits:
 * https://developers.google.com/speed/webp/faq#what_is_the_maximum_size_a_webp_image_can_be
 */
const MAX_SIDE: Record<ImageType, number> = { png: 32_767, jpeg: 32_767, webp: 16_383 };

/**
 * Chromium encodes images in its main process, which blocks all pages. WebP takes several times as long
 * (`ScreenshotCaptured`: https://source.chromium.org/chromium/chromium/src/+/main:content/browser/devtools/protocol/page_handler.cc).
 */
const COST_OF_PIXEL: Record<ImageType, number> = { png: 1, jpeg: 1, webp: 4 };
/** Base64 adds a third to the size. */
const MAX_ANSWER_BYTES = Math.floor((MAX_SCREENSHOT_ANSWER_BYTES / 4) * 3);

const Place = Type.Number({ minimum: -MAX_LENGTH_PX, maximum: MAX_LENGTH_PX });
const Length = Type.Number({ minimum: 0, maximum: MAX_LENGTH_PX });
const ABOUT = { about: 'captured_selector' } as const;
/** The answer to `boxOf`. */
const ELEMENT_BOX = shape(
  Type.Union([Type.Object({ x: Place, y: Place, width: Length, height: Length }), Type.Null(), Type.Literal('invalid')]),
);

/** Throws `print_failed` if there is no image or no element to capture, `invalid_request` for a bad selector, and `resource_limit`. */
export async function takeScreenshot(
  session: Session,
  settings: CaptureSettings,
  { settings: limits, captureQueue }: { settings: Limits; captureQueue: CaptureQueue },
  step: Step,
): Promise<CapturedImage> {
  const area = alignToPixels(await findArea(session, settings, step), settings.deviceScaleFactor);
  const size = imageSize(area, settings);
  requireSize(size, settings.type, limits);
  const cost = size.width * size.height * COST_OF_PIXEL[settings.type];
  const image = await step(captureQueue.capture(() => capture(session, area, settings, limits), cost));
  if (!image.length) throw new ServiceError('print_failed', 'the browser returned no image');
  return { image, ...size };
}

async function capture(session: Session, area: Box, { type, quality }: CaptureSettings, limits: Limits): Promise<Buffer> {
  const maxBytes = Math.min(limits.maxPdfBytes, MAX_ANSWER_BYTES);
  const parameters = {
    format: type,
    ...(quality !== undefined && { quality }),
    clip: { ...area, scale: 1 },
    captureBeyondViewport: true,
    optimizeForSpeed: true, // a PNG takes half the time and is a third larger
  };
  const { data } = await session.send('Page.captureScreenshot', parameters).catch((error: unknown) => {
    throw error instanceof DevToolsError && error.reason === TOO_LARGE ? tooLarge(maxBytes) : error;
  });
  const image = Buffer.from(data, 'base64');
  if (image.length > maxBytes) throw tooLarge(maxBytes);
  return image;
}

function tooLarge(limit: number): ServiceError {
  const detail = `the image is larger than ${limit} bytes: send type: jpeg or a lower quality, or show less of the document`;
  return new ServiceError('resource_limit', detail, { members: { limit } });
}

async function findArea(session: Session, { area }: CaptureSettings, step: Step): Promise<Box> {
  if (area.kind === 'clip') return area.clip;
  if (area.kind === 'element') return elementArea(session, area.selector, step);
  const { cssContentSize, cssLayoutViewport } = await step(session.send('Page.getLayoutMetrics'));
  const { clientWidth, clientHeight } = cssLayoutViewport;
  if (area.kind === 'viewport') return { x: 0, y: 0, width: clientWidth, height: clientHeight };
  return { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height };
}

async function elementArea(session: Session, selector: string, step: Step): Promise<Box> {
  const box = await step(ask(session, 'boxOf', [selector], ELEMENT_BOX));
  if (box === 'invalid') {
    const detail = '{option}: is not a CSS selector that Chromium can read: use one such as #chart';
    throw new ServiceError('invalid_request', detail, ABOUT);
  }
  if (!box) throw new ServiceError('print_failed', '{option}: no element of the document matches', ABOUT);
  if (!(box.width > 0 && box.height > 0))
    throw new ServiceError('print_failed', '{option}: the element that matches has no size', ABOUT);
  return box;
}

/** Moves the edges to whole pixels of the image, so that nothing is blurred or cut off. */
function alignToPixels({ x, y, width, height }: Box, factor: number): Box {
  const left = Math.floor(x * factor) / factor;
  const top = Math.floor(y * factor) / factor;
  return { x: left, y: top, width: ceilTo(x + width - left, factor), height: ceilTo(y + height - top, factor) };
}

function ceilTo(length: number, factor: number): number {
  return Math.max(1, Math.ceil(round(length * factor))) / factor;
}

function imageSize({ width, height }: Box, { deviceScaleFactor }: CaptureSettings): { width: number; height: number } {
  return { width: Math.round(width * deviceScaleFactor), height: Math.round(height * deviceScaleFactor) };
}

/** Removes the last digits, in which floating-point sums differ. */
function round(length: number): number {
  return Math.round(length * 1_000) / 1_000;
}

function requireSize({ width, height }: { width: number; height: number }, type: ImageType, { maxImagePixels }: Limits): void {
  const remedy = 'send clip or selector, a smaller viewport or a smaller deviceScaleFactor';
  const actual = width * height;
  if (!(Math.max(width, height) <= MAX_SIDE[type])) {
    const detail = `the image would have ${width} × ${height} pixels, but a side of ${type} may have at most ${MAX_SIDE[type]}: ${remedy}`;
    throw new ServiceError('resource_limit', detail, { members: { limit: MAX_SIDE[type], actual: Math.max(width, height) } });
  }
  const limit = Math.floor(maxImagePixels / COST_OF_PIXEL[type]);
  if (actual <= limit) return;
  const detail = `the image would have ${width} × ${height} pixels, ${actual} in all, but ${type} may have at most ${limit}: ${remedy}`;
  throw new ServiceError('resource_limit', detail, { members: { limit, actual } });
}
