/** Converts Markdown to an HTML document in child processes. */
import { ServiceError } from '../errors.ts';
import { type ProcessLimits, ProcessQueue } from '../queue/process-queue.ts';
import type { Converted, ConvertTask } from './markdown-worker.ts';

const LIMITS: Readonly<ProcessLimits> = {
  processes: 2,
  maxWaiting: 64,
  waitMs: 10_000,
  timeoutMs: 10_000,
  idleMs: 30_000,
  heapMb: 1_024,
};

export class Markdown extends ProcessQueue {
  /** Starts no process yet. */
  constructor(limits: Partial<ProcessLimits> = {}) {
    const all = { ...LIMITS, ...limits };
    const work = {
      module: new URL('./markdown-worker.ts', import.meta.url),
      libraries: ['markdown-it'],
      busy: 'too many Markdown documents are being converted',
      outOfTime: (cause: unknown) => limitExceeded(`markdown: takes longer than ${all.timeoutMs} ms to convert`, cause),
      outOfMemory: (cause: unknown) => limitExceeded('markdown: needs more memory to convert than is allowed', cause),
    };
    super(work, all);
  }

  /** Owners take turns. Throws `content_too_large`, `resource_limit`, `queue_full`, and the reason of `signal`. */
  async toHtml(owner: string, task: ConvertTask, signal?: AbortSignal): Promise<string> {
    const converted = (await this.run(owner, task, signal)) as Converted;
    if ('html' in converted) return converted.html;
    if ('tooMany' in converted) throw limitExceeded(`markdown: has more than ${converted.tooMany} elements; split the document`);
    const { limitBytes: limit } = task;
    const { tooLarge: actual } = converted;
    throw new ServiceError('content_too_large', `markdown: its HTML has more than ${limit} bytes`, {
      members: { limit, ...(actual !== undefined && { actual }) },
    });
  }
}

function limitExceeded(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('resource_limit', detail, { cause });
}
