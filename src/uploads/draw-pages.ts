/** Draws pages of stored PDFs as PNG. PDFs are parsed in separate processes, because parts of them are untrusted. */
import { invalidRequest, ServiceError } from '../errors.ts';
import type { ProcessLimits } from '../queue/process-queue.ts';
import type { Drawn, DrawTask } from './draw-worker.ts';
import { DRAWING_LIBRARIES, PdfProcesses, WASM_LIMIT } from './upload-limits.ts';

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

export class PageDrawing extends PdfProcesses {
  constructor(limits: Partial<ProcessLimits> = {}) {
    const work = {
      module: new URL('./draw-worker.ts', import.meta.url),
      libraries: DRAWING_LIBRARIES,
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
    const most = MAX_DRAWN_PIXELS.toLocaleString('en');
    throw invalidRequest([
      {
        path: 'width',
        message: `must be at most ${drawn.maxWidth} for this page, because an image may have at most ${most} pixels`,
      },
    ]);
  }
}

export function noSuchPage(): ServiceError {
  return new ServiceError('not_found', 'the document has no such page');
}
