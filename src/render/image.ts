/** The recipe of an image: a document in, a finished image out. Like that of a PDF, it knows no accounts. */
import type { CapturedImage, CaptureSettings } from '../chromium/capture/capture-settings.ts';
import type { LoadJob } from '../chromium/load/load-job.ts';
import { needsOwnPage } from '../chromium/load/load-settings.ts';
import type { Page } from '../chromium/page.ts';
import type { Deadline } from '../deadline.ts';
import { withPicture } from './failure-picture.ts';
import { contentLanguages, type PrintEngine, type RenderedFile } from './pdf.ts';
import type { RenderOwner } from './render-owner.ts';
import { toReport } from './report.ts';
import { NO_LOSSES } from './steps/layout-losses.ts';
import { namingOption } from './steps/name-option.ts';
import type { PageReport } from './steps/printed-document.ts';

export interface RenderedImage extends RenderedFile {
  /** The width in pixels. */
  width: number;
  height: number;
}

/** A document of which a screenshot is taken. */
export interface CaptureOrder extends Omit<LoadJob, 'print'> {
  capture: CaptureSettings;
}

/** Makes a document that shows the image with a mark over it. Scripts of the original document cannot remove the mark. */
export type ImageMark = (image: CapturedImage, settings: CaptureSettings, isTransparent: boolean) => CaptureOrder;

export function captureImage(
  engine: Pick<PrintEngine, 'pool'>,
  order: CaptureOrder,
  owner: RenderOwner,
  deadline: Deadline,
  mark?: ImageMark,
): Promise<RenderedImage> {
  return namingOption(captureSteps(engine, order, owner, deadline, mark));
}

async function captureSteps(
  { pool }: Pick<PrintEngine, 'pool'>,
  { content, load, capture }: CaptureOrder,
  owner: RenderOwner,
  deadline: Deadline,
  mark?: ImageMark,
): Promise<RenderedImage> {
  const { boundary, shareOf, isOperator } = owner;
  const order = { content, load, capture, shareOf, hanLanguages: contentLanguages(content) };
  const work = withPicture(owner, (page) => captureDocument(page, order, deadline));
  const { report, ...captured } = await pool.use(boundary, deadline, work, {
    once: needsOwnPage(content, load),
    shareOf,
    suits: (page) => page.suits(order),
  });
  const marking = mark?.(captured, capture, load.device.transparent);
  const { image } = marking
    ? await pool.use(boundary, deadline, (page) => captureDocument(page, marking, deadline), { once: false, shareOf })
    : captured;
  deadline.enter('finish');
  deadline.leave();
  const timings = deadline.timings();
  const { width, height } = captured;
  return {
    ...{ type: `image/${capture.type}`, chunks: [image], bytes: image.length, width, height, timings },
    report: toReport(report, timings, { isOperator, content }),
  };
}

async function captureDocument(
  page: Page,
  { capture, ...job }: CaptureOrder,
  deadline: Deadline,
): Promise<CapturedImage & { report: PageReport }> {
  await using document = await page.load(job, deadline);
  await document.hyphenate();
  const image = await document.screenshot(capture);
  const findings = await document.findings();
  return { ...image, report: { ...findings, ...NO_LOSSES, printedFields: [], network: document.endTraffic() } };
}
