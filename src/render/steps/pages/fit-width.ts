/** Prints a document that is too wide at a smaller scale, instead of cutting it off: Chromium shrinks documents only to two thirds. */
import type { Content } from '../../../chromium/load/load-settings.ts';
import type { LoadedDocument } from '../../../chromium/loaded-document.ts';
import { paperView, shrunkWidth } from '../content-shrinking.ts';
import type { Print } from '../print.ts';
import { layOut } from '../single-page.ts';

/** The least scale of Chromium. */
const MIN_SCALE = 0.1;
/** Leaves the last part to Chromium, which shrinks a document exactly to its width. */
const SHARE = 0.95;

/** Returns the print as it is if the document does not fit at the least scale. */
export async function fitWidth(document: LoadedDocument, content: Content, print: Print): Promise<Print> {
  if (!print.settings.fitsWidth) return print;
  const { roomPx, layoutPx, cutOffPx } = await measure(document, content, print);
  if (!cutOffPx) return print;
  const scale = (SHARE * print.settings.scale * layoutPx) / (layoutPx + cutOffPx);
  const smaller = await printSmaller(document, print, Math.max(MIN_SCALE, scale));
  if (!(await measure(document, content, smaller)).cutOffPx) return smaller;
  return printInWidth(document, print, Math.floor(roomPx));
}

/** Prints a document whose width follows that of the page in the layout that it would have without being shrunk. */
async function printInWidth(document: LoadedDocument, print: Print, widthPx: number): Promise<Print> {
  const scale = (print.settings.scale * widthPx) / (widthPx + (await document.layout.overflow(widthPx)));
  if (scale < MIN_SCALE) return print;
  await document.layout.keepWidth(widthPx);
  return printSmaller(document, print, scale);
}

async function printSmaller(document: LoadedDocument, print: Print, scale: number): Promise<Print> {
  const settings = await layOut(document, { ...print.settings, scale });
  return { ...(await document.print(settings)), settings };
}

/** In CSS pixels, the width that a page has for the document, that of the printed layout, and how much of the document is beyond it. */
async function measure(document: LoadedDocument, content: Content, { settings, chunks }: Print) {
  const { scale, roomPx } = paperView(content, settings, chunks);
  if (roomPx === undefined) return { roomPx: 0, layoutPx: 0, cutOffPx: 0 };
  const layoutPx = shrunkWidth(roomPx, settings, scale);
  return { roomPx, layoutPx, cutOffPx: await document.layout.overflow(layoutPx) };
}
