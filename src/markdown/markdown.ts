/** Markdown as the rest of the service sees it: a text in, an HTML document or a `ServiceError` out. Threads do the work. */
import { ServiceError } from '../errors.ts';
import { type ThreadLimits, Threads } from '../templates/threads.ts';
import type { Converted, ConvertTask } from './markdown-worker.ts';

export const MARKDOWN_LIMITS: Readonly<ThreadLimits> = {
  what: 'too many Markdown documents are being converted',
  threads: 2,
  maxWaiting: 16,
  waitMs: 10_000,
  timeoutMs: 10_000,
  idleMs: 30_000,
  heapMb: 1_024,
};

export class Markdown {
  readonly #threads: Threads;

  /** Starts no thread yet. */
  constructor(limits: Partial<ThreadLimits> = {}) {
    const all = { ...MARKDOWN_LIMITS, ...limits };
    this.#threads = new Threads(new URL('./markdown-worker.ts', import.meta.url), all, {
      outOfTime: () => tooHungry(`markdown: takes longer than ${all.timeoutMs} ms to convert`),
      outOfMemory: (cause) => tooHungry('markdown: takes more memory to convert than it may have', cause),
    });
  }

  /** `owner` is whose turn it takes. Throws `content_too_large`, `resource_limit`, `queue_full`, and what `signal` was aborted with. */
  async toHtml(owner: string, task: ConvertTask, signal?: AbortSignal): Promise<string> {
    const converted = await this.#threads.run<Converted>(owner, 'convert', task, signal);
    if ('html' in converted) return converted.html;
    if ('tooMany' in converted) throw tooHungry(`markdown: has more than ${converted.tooMany} elements; split the document`);
    const { limitBytes: limit } = task;
    const { tooLarge: actual } = converted;
    throw new ServiceError('content_too_large', `markdown: its HTML has more than ${limit} bytes`, {
      members: { limit, ...(actual !== undefined && { actual }) },
    });
  }

  /** Ends the threads. What runs or waits is refused, and so is what comes later. */
  async close(): Promise<void> {
    await this.#threads.close();
  }
}

function tooHungry(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('resource_limit', detail, { cause });
}
