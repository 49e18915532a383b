/**
 * Limits the time of a form with many files. Each file has the time of a render, and their sum could be longer than a connection
 * may be silent, which would be closed without an answer.
 */
import { ServiceError } from '../../errors.ts';

/** Call the result before each file. It throws `render_timeout`, which says how many files there was time for. */
export function limitTime({ maxRenderTimeoutMs }: { maxRenderTimeoutMs: number }, files: number): (done: number) => void {
  const end = performance.now() + maxRenderTimeoutMs;
  return (done) => {
    if (performance.now() < end) return;
    const detail = `the files of a form have ${maxRenderTimeoutMs} ms, in which only ${done} of ${files} were done: send fewer at once`;
    throw new ServiceError('render_timeout', detail);
  };
}
