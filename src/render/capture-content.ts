/** The middle of every image: a document in, a finished image out. It knows no accounts, like `print-content.ts`. */
import { needsOwnPage } from '../chromium/load/load-settings.ts';
import type { CaptureJob } from '../chromium/page.ts';
import type { Deadline, Phase } from '../deadline.ts';
import { languagesOf, type PrintEngine, type RenderOwner } from './print-content.ts';
import { type RenderReport, reportOf } from './report.ts';

export interface RenderedImage {
  chunks: Buffer[];
  bytes: number;
  /** Pixels. */
  width: number;
  height: number;
  report: RenderReport;
  /** Milliseconds spent in each phase. */
  timings: Record<Phase, number>;
}

export async function captureContent(
  { pool }: Pick<PrintEngine, 'pool'>,
  { content, load, capture }: CaptureJob,
  { boundary, shareOf }: RenderOwner,
  deadline: Deadline,
): Promise<RenderedImage> {
  const job = { content, load, capture, hanLanguages: languagesOf(content) };
  const { image, width, height, report } = await pool.use(boundary, deadline, (page) => page.capture(job, deadline), {
    once: needsOwnPage(content, load),
    shareOf,
    suits: (page) => page.suits(job),
  });
  deadline.enter('finish');
  const timings = deadline.timings();
  return { chunks: [image], bytes: image.length, width, height, report: reportOf(report, timings), timings };
}
