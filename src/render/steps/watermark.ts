/**
 * Prints a watermark: its markup in, a PDF of one page out. Chromium prints it on a page of its own, so that any script, font
 * and image that Chromium supports can be used. Finishing then places it over or under each page.
 */

import { onlyLanguage } from '../../chromium/glyphs/han-fonts.ts';
import { DEFAULT_LOAD } from '../../chromium/load/load-settings.ts';
import type { Page } from '../../chromium/page.ts';
import { type PagePrint, type PrintJob, printOnce } from '../../chromium/print-once.ts';
import type { Deadline } from '../../deadline.ts';
import { hasCode, invalidField } from '../../errors.ts';
import { SIDE_INCHES, type Watermark } from '../request/watermark-options.ts';
import { generatedPage } from './generated-page.ts';

/** The shorter side of an image has at least this share of the longer one. */
const MIN_RATIO = 0.01;
/**
 * Gives the page the shape of the image. Chromium shows nothing for an unreadable image, and only `decode` reports it
 * (https://html.spec.whatwg.org/multipage/embedded-content.html#dom-img-decode).
 */
const IS_SHOWN = `document.images[0].decode().then(() => {
  const [{ naturalWidth: width, naturalHeight: height }] = document.images;
  const side = (length) => ${SIDE_INCHES} * Math.max(${MIN_RATIO}, length / Math.max(width, height)) + 'in ';
  const rule = '@page { size: ' + side(width) + side(height) + '}';
  if (width && height) document.head.append(Object.assign(document.createElement('style'), { textContent: rule }));
  return true;
}, () => { console.error('unreadable'); return true })`;

/** Prints the watermark in the languages of its document, without network access. Throws `invalid_request` if the image cannot be displayed. */
export async function printStamp(
  page: Page,
  watermark: Watermark | undefined,
  hanLanguages: string,
  deadline: Deadline,
): Promise<PagePrint | undefined> {
  if (!watermark) return undefined;
  const job = { ...stampJob(watermark, onlyLanguage(hanLanguages)), hanLanguages };
  const stamp = await printOnce(page, job, deadline).catch((error: unknown) => {
    if (!hasCode(error, 'render_gate_failed')) throw error;
    throw invalidField('options.watermark.image', 'cannot be displayed: it is damaged or not an image');
  });
  await page.reset();
  return stamp;
}

function stampJob({ html, image }: Watermark, language = ''): PrintJob {
  const checks = { waitForFunction: IS_SHOWN, failsOn: { ...DEFAULT_LOAD.failsOn, consoleError: true } };
  const { content, print } = generatedPage(`<!doctype html><html lang="${language}">${html}`, SIDE_INCHES, SIDE_INCHES);
  return {
    content,
    load: { ...DEFAULT_LOAD, offline: true, ...(image && checks) },
    print: { ...print, paperChosenBy: 'document', marginChosenBy: 'document' },
  };
}
