/**
 * Limits the time of a form with many files. Each file has the time of a render, and their sum could be longer than a connection
 * may be silent, which would be closed without an answer.
 */
import { ServiceError } from '../../errors.ts';

/** Goes through what is done for each file. Throws `render_timeout`, which says how many files there was time for. */
export function* inTime<T>({ maxRenderTimeoutMs }: { maxRenderTimeoutMs: number }, files: readonly T[]): Generator<T> {
  const end = performance.now() + maxRenderTimeoutMs;
  for (const [done, file] of files.entries()) {
    if (performance.now() >= end) {
      const detail = `the files of a form have ${maxRenderTimeoutMs} ms, in which only ${done} of ${files.length} were done: send fewer at once`;
      throw new ServiceError('render_timeout', detail);
    }
    yield file;
  }
}
