/** Draws pages of PDFs as images. PDFs are parsed in separate processes, because parts of them are untrusted. */
import { invalidField, ServiceError } from '../errors.ts';
import type { ProcessLimits } from '../queue/process-queue.ts';
import type { DrawManyTask, Drawn, DrawnMany, DrawTask, PageImage } from './draw-worker.ts';
import type { ImageEncoding } from './encode-image.ts';
import { DRAWING_LIBRARIES, PdfProcesses, resourceLimit, WASM_LIMIT } from './upload-limits.ts';

const HEAP_MB = 256;

export const MIN_DRAWN_WIDTH = 16;
export const MAX_DRAWN_WIDTH = 4_000;
export const DEFAULT_DRAWN_WIDTH = 1_000;
const MAX_DRAWN_PIXELS = 16_777_216;

/** Maximum size of one PDF, which is copied when it is sent to the process. */
export const MAX_DRAWN_BYTES = 64 * 1_048_576;

export interface DrawOrder {
  /** Reads the PDF once a process is free. */
  content(): Promise<Uint8Array>;
  /** The page number, counted from 1. */
  page: number;
  /** Pixels. Undefined for 1,000. */
  width: number | undefined;
  /** Whether a page that is so tall that it would have too many pixels is drawn smaller, and not refused. */
  mayShrink?: boolean;
}

export interface DrawManyOrder extends Pick<DrawManyTask, 'content' | 'pages' | 'dpi'> {
  encoding: ImageEncoding;
  /** Counts the memory of images. Throws `memory_limited` and `overloaded`. */
  hold(bytes: number): void;
}

/** Limits the images of one PDF. */
const MANY_MS = 120_000;

export class PageDrawing extends PdfProcesses {
  constructor(limits: Partial<ProcessLimits> = {}) {
    const work = {
      module: new URL('./draw-worker.ts', import.meta.url),
      libraries: [...DRAWING_LIBRARIES, '@jsquash/jpeg'],
      flags: [WASM_LIMIT],
      busy: 'too many pages are being drawn',
    };
    super('drawing the page', work, { heapMb: HEAP_MB, ...limits });
  }

  /**
   * Owners take turns. Throws `not_found`, `document_protected`, `pdf_unreadable`, `invalid_request`, `resource_limit`, `queue_full`,
   * and the reason of `signal`.
   */
  async draw(
    owner: string,
    { width, mayShrink = width === undefined, page, content }: DrawOrder,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const size = { width: width ?? DEFAULT_DRAWN_WIDTH, isExact: !mayShrink, maxPixels: MAX_DRAWN_PIXELS };
    const task = async (): Promise<DrawTask> => ({ content: await content(), page, ...size });
    const drawn = (await this.run(owner, task, signal)) as Drawn;
    if (drawn === 'no such page') throw noSuchPage();
    if (drawn === 'protected')
      throw new ServiceError(
        'document_protected',
        'the document is protected by a password, and the service does not keep passwords',
      );
    if (drawn === 'unreadable')
      throw new ServiceError('pdf_unreadable', 'the document is damaged, and its pages cannot be drawn');
    if ('png' in drawn) return drawn.png;
    throw invalidField('width', `must be at most ${drawn.maxWidth} for this page, ${TOO_MANY_PIXELS}`);
  }

  /**
   * Draws pages in the order in which they are chosen. Owners take turns. Throws `invalid_request` about the field `pages` or `dpi`, or about
   * the PDF without a field, `resource_limit`, `queue_full`, and the reason of `signal`.
   */
  async drawMany(owner: string, { hold, ...order }: DrawManyOrder, signal?: AbortSignal): Promise<PageImage[]> {
    const end = performance.now() + MANY_MS;
    const images: PageImage[] = [];
    for (let left = 1; left; ) {
      if (performance.now() > end) throw resourceLimit(`drawing the pages takes longer than ${MANY_MS} ms`);
      const task: DrawManyTask = { ...order, done: images.length, maxPixels: MAX_DRAWN_PIXELS };
      const drawn = requireDrawn((await this.run(owner, task, signal)) as DrawnMany);
      hold(drawn.images.reduce((sum, { image }) => sum + image.length, 0));
      images.push(...drawn.images);
      left = drawn.left;
    }
    return images;
  }
}

const TOO_MANY_PIXELS = `because an image may have at most ${MAX_DRAWN_PIXELS.toLocaleString('en')} pixels`;

function requireDrawn(drawn: DrawnMany): Extract<DrawnMany, { images: unknown }> {
  if (drawn === 'protected') throw invalidField('', 'is protected by a password');
  if (drawn === 'unreadable') throw invalidField('', 'is damaged, or not a PDF');
  if ('maxDpi' in drawn) throw invalidField('dpi', `must be at most ${drawn.maxDpi} for page ${drawn.page}, ${TOO_MANY_PIXELS}`);
  if ('images' in drawn) return drawn;
  const has = `the PDF has ${drawn.count} ${drawn.count === 1 ? 'page' : 'pages'}`;
  throw invalidField('pages', drawn.missing === undefined ? `leaves no page: ${has}` : `names page ${drawn.missing}, but ${has}`);
}

export function noSuchPage(): ServiceError {
  return new ServiceError('not_found', 'the document has no such page');
}
