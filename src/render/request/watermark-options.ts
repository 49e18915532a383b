/** Parses the option `watermark`: what the caller sent in, the markup of a page that shows it out. */
import { textErrors } from '../../validate.ts';
import type { PdfOptions } from './schemas/options-schema.ts';
import { decodeBase64 } from './values/base64.ts';
import { escapeHtml } from './values/escape-html.ts';
import { parsePageRanges } from './values/page-ranges.ts';
import type { ValidationErrors } from './values/validation-errors.ts';

export interface Watermark {
  /** The markup of its page, in its `html` element. The page of a text is square. */
  html: string;
  /** Whether it shows an image, which may be unreadable. Its page has the shape of the image. */
  image: boolean;
  /** The counterclockwise rotation of its page in degrees. A text is rotated within its page. */
  rotate: number;
  /** `1-3,5`; empty for all pages. */
  pages: string;
  opacity: number;
  layer: 'over' | 'under';
}

/** The side of a watermark's page. */
export const SIDE_INCHES = 10;
const SIDE_PX = SIDE_INCHES * 96;
/** Share of the side that content may use, so that nothing touches the edge. */
const FILLED = 0.9;
const MAX_FONT_PX = SIDE_PX / 5;
/** Estimated widths of characters, in font sizes. They are generous, so that a text never leaves the page. */
const LETTER_WIDTH = 0.72;
const WIDE_LETTER_WIDTH = 1.05;
const LINE_HEIGHT = 1.2;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}MWmw@%—]/u;
const DATA_URL = /^data:image\/(?:png|jpeg|jpg|gif|webp|svg\+xml)((?:;[a-z-]+=[\w-]+)*);base64,/i;
/** Media types with their file signatures. */
const MAGIC: Array<[type: string, isOne: (start: string) => boolean]> = [
  ['image/png', (start) => start.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (start) => start.startsWith('\xff\xd8\xff')],
  ['image/gif', (start) => /^GIF8[79]a/.test(start)],
  ['image/webp', (start) => start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP'],
  ['image/svg+xml', (start) => /^(?:ï»¿)?\s*<(?:\?xml|svg|!doctype\s+svg|!--)/i.test(start)],
];
const MAGIC_BYTES = 256;

type Given = NonNullable<PdfOptions['watermark']>;

export function parseWatermark(given: Given, errors: ValidationErrors): Watermark {
  const { text, image, opacity = 0.15, layer = 'over', rotate = 0 } = given;
  if (text !== undefined && image !== undefined)
    errors.add('options.watermark.image', 'cannot be combined with options.watermark.text: send one of them');
  if (text === undefined && image === undefined) errors.add('options.watermark.text', 'is required unless image is sent');
  return {
    html: image === undefined ? squarePage(textMark(text ?? '', given, errors)) : imagePage(image, given, errors),
    image: image !== undefined,
    rotate: image === undefined ? 0 : rotate,
    pages: parsePageRanges('options.watermark.pages', given.pages ?? '', errors),
    opacity,
    layer,
  };
}

function squarePage(mark: string): string {
  return `<title>watermark</title><style>
body { margin: 0; width: ${SIDE_PX}px; height: ${SIDE_PX}px; overflow: hidden; display: flex; align-items: center; justify-content: center }
div { flex: none; white-space: pre; text-align: center }
</style>${mark}`;
}

function textMark(text: string, { rotate = 45, color = '#000000' }: Given, errors: ValidationErrors): string {
  errors.addAll(textErrors('options.watermark.text', text));
  const style = `font: bold ${fontSize(text, rotate)}px/${LINE_HEIGHT} sans-serif; color: ${color}; transform: rotate(${-rotate}deg)`;
  return `<div style="${style}" dir="auto">${escapeHtml(text)}</div>`;
}

/** The largest font size with which the rotated text stays on the page. */
function fontSize(text: string, degrees: number): number {
  const lines = text.split('\n');
  const width = Math.max(...lines.map(estimateWidth), LETTER_WIDTH);
  const height = lines.length * LINE_HEIGHT;
  const { across, down } = rotateSize(width, height, degrees);
  return Math.min(MAX_FONT_PX, (FILLED * SIDE_PX) / Math.max(across, down));
}

function estimateWidth(line: string): number {
  return Array.from(line, (letter) => (WIDE.test(letter) ? WIDE_LETTER_WIDTH : LETTER_WIDTH)).reduce(
    (sum, width) => sum + width,
    0,
  );
}

/** The width and height of the bounding box of a rotated box. */
function rotateSize(width: number, height: number, degrees: number): { across: number; down: number } {
  const angle = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))];
  return { across: width * cos + height * sin, down: width * sin + height * cos };
}

function imagePage(image: string, { color }: Given, errors: ValidationErrors): string {
  if (color !== undefined) errors.add('options.watermark.color', 'cannot be combined with options.watermark.image');
  const style = 'position: fixed; inset: 0; width: 100%; height: 100%; object-fit: contain';
  return `<title>watermark</title><img alt="" style="${style}" src="${parseImage(image, 'options.watermark.image', errors)}">`;
}

/** Returns the `data:` URL of an image that is given as base64 or as such a URL. */
export function parseImage(given: string, path: string, errors: ValidationErrors): string {
  const bytes = decodeBase64(path, given.replace(DATA_URL, ''), errors);
  const start = bytes.toString('latin1', 0, MAGIC_BYTES);
  const type = MAGIC.find(([, isOne]) => isOne(start))?.[0];
  if (!type) errors.add(path, 'must be a PNG, JPEG, GIF, WebP or SVG image, as base64 or as a data: URL');
  return `data:${type};base64,${bytes.toString('base64')}`;
}
