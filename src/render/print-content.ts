/** The middle of every render: HTML in, a finished PDF out. It knows no accounts: what may be rendered is settled before. */
import type { Page } from '../chromium/page.ts';
import type { PrintSettings } from '../chromium/print-options.ts';
import { Deadline, type Phase } from '../deadline.ts';
import { countPages } from '../pdf/inspect.ts';
import type { Pool } from '../pool/pool.ts';

export interface RenderedPdf {
  /** The file in pieces, so that a large one is never copied together. */
  chunks: Buffer[];
  bytes: number;
  pages: number;
  /** Milliseconds spent in each phase. */
  timings: Record<Phase, number>;
}

/** For the service's own renders, and those of the command line: no account, nothing charged. */
export async function printAlone(
  pool: Pool<Page>,
  html: string,
  { print, timeoutMs }: { print: PrintSettings; timeoutMs: number },
  owner?: string,
): Promise<RenderedPdf> {
  using deadline = new Deadline(timeoutMs);
  return await printContent(pool, html, print, owner, deadline);
}

/** `owner` is the isolation boundary (the id of an API key); undefined renders on a page used once. */
export async function printContent(
  pool: Pool<Page>,
  html: string,
  print: PrintSettings,
  owner: string | undefined,
  deadline: Deadline,
): Promise<RenderedPdf> {
  const raw = await pool.use(owner, deadline, (page) => page.print(html, print, deadline));
  deadline.enter('finish');
  const pages = countPages(raw.chunks);
  return { ...raw, pages, timings: deadline.timings() };
}
