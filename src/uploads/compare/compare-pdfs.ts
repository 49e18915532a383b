/** Compares two PDFs page by page, in separate processes, because both are untrusted: two files in, the differences of their pages out. */
import { ServiceError } from '../../errors.ts';
import type { ProcessLimits } from '../../queue/process-queue.ts';
import { DRAWING_LIBRARIES, PdfProcesses, resourceLimit, WASM_LIMIT } from '../upload-limits.ts';
import type { Compared, ComparisonTask, PageDifference, Pictures } from './compare-worker.ts';
import { type PageKeys, type PagePair, pairPages } from './page-pairs.ts';

export interface ComparisonOrder {
  before: Uint8Array;
  after: Uint8Array;
  /** Channels that differ by up to this number, of 255, are equal. Default: 0. */
  tolerance?: number;
  pictures?: Pictures;
}

interface ComparisonLimits extends Partial<ProcessLimits> {
  /** How many processes work on one comparison. */
  lanes?: number;
  /** Limits one comparison. */
  totalMs?: number;
  maxPages?: number;
}

/** Fewer pages are not divided further, because each process opens both PDFs. */
const MIN_SHARE = 16;

export class PdfComparison extends PdfProcesses {
  readonly #lanes: number;
  readonly #totalMs: number;
  readonly #maxPages: number;

  constructor({ lanes = 1, totalMs = 120_000, maxPages = 2_000, ...limits }: ComparisonLimits = {}) {
    const work = {
      module: new URL('./compare-worker.ts', import.meta.url),
      libraries: DRAWING_LIBRARIES,
      flags: [WASM_LIMIT],
      busy: 'too many PDFs are being compared',
    };
    super('comparing the PDFs', work, { heapMb: 256, ...limits });
    this.#lanes = lanes;
    this.#totalMs = totalMs;
    this.#maxPages = maxPages;
  }

  /**
   * Pages are paired by their text. Owners take turns. Throws `document_protected`, `pdf_unreadable`, `resource_limit`, `queue_full`, and the reason of
   * `signal`.
   */
  async compare(owner: string, order: ComparisonOrder, signal?: AbortSignal): Promise<PageDifference[]> {
    const end = performance.now() + this.#totalMs;
    const run = async (task: ComparisonTask) => {
      if (performance.now() > end) throw resourceLimit(`comparing the PDFs takes longer than ${this.#totalMs} ms`);
      return (await this.run(owner, task, signal)) as Compared;
    };
    const before = await this.#readKeys(run, 'before', order);
    if (Buffer.compare(order.before, order.after) === 0) return before.map(toSame); // as two renders of one document are
    return this.#comparePairs(run, order, pairPages(before, await this.#readKeys(run, 'after', order)));
  }

  async #readKeys(run: Run, side: 'before' | 'after', order: ComparisonOrder): Promise<PageKeys[]> {
    const answer = await run({ content: order[side] });
    if (answer === 'protected') throw new ServiceError('document_protected', `the PDF \`${side}\` is protected by a password`);
    if (answer === 'unreadable' || !('keys' in answer))
      throw new ServiceError('pdf_unreadable', `\`${side}\` is not a PDF, or it is damaged`);
    if (answer.keys.length > this.#maxPages)
      throw resourceLimit(`\`${side}\` has ${answer.keys.length} pages, and PDFs of up to ${this.#maxPages} are compared`);
    return answer.keys;
  }

  /** Each lane gets as many pairs in turn as it can compare in its time. */
  async #comparePairs(run: Run, order: ComparisonOrder, pairs: PagePair[]): Promise<PageDifference[]> {
    const { before, after, tolerance = 0, pictures } = order;
    let picturesLeft = pictures?.most ?? 0;
    const compareShare = async (share: PagePair[]) => {
      const found: PageDifference[] = [];
      while (found.length < share.length) {
        const wanted = pictures && { ...pictures, most: picturesLeft };
        const answer = await run({ before, after, tolerance, pairs: share.slice(found.length), pictures: wanted });
        if (typeof answer === 'string' || !('pages' in answer)) throw new ServiceError('pdf_unreadable', 'a PDF is damaged');
        picturesLeft -= answer.pages.filter((page) => page.pictures).length;
        found.push(...answer.pages);
      }
      return found;
    };
    const length = Math.max(MIN_SHARE, Math.ceil(pairs.length / this.#lanes));
    const lanes = Math.ceil(pairs.length / length);
    const shares = Array.from({ length: lanes }, (_, lane) => pairs.slice(lane * length, (lane + 1) * length));
    return (await Promise.all(shares.map(compareShare))).flat();
  }
}

function toSame({ size }: PageKeys, index: number): PageDifference {
  return { before: index + 1, after: index + 1, status: 'same', pixels: 0, areas: [], text: { removed: [], added: [] }, ...size };
}

type Run = (task: ComparisonTask) => Promise<Compared>;
