/** The recipe of a render: a valid request in, a finished PDF out, whatever happens on the way. */
import type { Page } from '../chromium/page.ts';
import { Deadline, type Phase } from '../deadline.ts';
import { countPages } from '../pdf/inspect.ts';
import type { Pool } from '../pool/pool.ts';
import type { RenderRequest } from './render-request.ts';

export interface RenderedPdf {
  /** The file in pieces, so that a large one is never copied together. */
  chunks: Buffer[];
  bytes: number;
  pages: number;
  /** Milliseconds spent in each phase. */
  timings: Record<Phase, number>;
}

/**
 * `owner` is the isolation boundary (the id of an API key); undefined renders on a page used once. `client` aborts when the
 * caller has gone.
 */
export async function render(
  pool: Pool<Page>,
  request: RenderRequest,
  owner: string | undefined,
  client?: AbortSignal,
): Promise<RenderedPdf> {
  using deadline = new Deadline(request.timeoutMs, client);
  const raw = await pool.use(owner, deadline, (page) => page.print(request.html, request.print, deadline));
  deadline.enter('finish');
  const pages = countPages(raw.chunks);
  return { ...raw, pages, timings: deadline.timings() };
}
