/** Renders an image: a document in, a finished image out. Like `print-content.ts`, it does not depend on accounts. */

import type { CapturedImage, CaptureSettings } from '../chromium/capture/capture-settings.ts';
import { needsOwnPage } from '../chromium/load/load-settings.ts';
import type { CaptureJob } from '../chromium/page.ts';
import type { Deadline, Phase } from '../deadline.ts';
import { languagesOf, type PrintEngine, type RenderOwner } from './print-content.ts';
import { type RenderReport, reportOf } from './report.ts';

export interface RenderedImage {
  chunks: Buffer[];
  bytes: number;
  /** The width in pixels. */
  width: number;
  height: number;
  report: RenderReport;
  /** Milliseconds spent in each phase. */
  timings: Record<Phase, number>;
}

/** Makes a document that shows the image with a mark over it. Scripts of the original document cannot remove the mark. */
export type ImageMark = (image: CapturedImage, settings: CaptureSettings, isTransparent: boolean) => CaptureJob;

export async function captureContent(
  { pool }: Pick<PrintEngine, 'pool'>,
  { content, load, capture }: CaptureJob,
  { boundary, shareOf, isOperator }: RenderOwner,
  deadline: Deadline,
  mark?: ImageMark,
): Promise<RenderedImage> {
  const job = { content, load, capture, shareOf, hanLanguages: languagesOf(content) };
  const captured = await pool.use(boundary, deadline, (page) => page.capture(job, deadline), {
    once: needsOwnPage(content, load),
    shareOf,
    suits: (page) => page.suits(job),
  });
  const { width, height, report } = captured;
  const marking = mark?.(captured, capture, load.device.transparent);
  const { image } = marking
    ? await pool.use(boundary, deadline, (page) => page.capture(marking, deadline), { once: false, shareOf })
    : captured;
  deadline.enter('finish');
  deadline.leave();
  const timings = deadline.timings();
  return {
    ...{ chunks: [image], bytes: image.length, width, height, timings },
    report: reportOf(report, timings, { isOperator, content }),
  };
}
