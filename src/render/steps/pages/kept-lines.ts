/**
 * Keeps paragraphs whole that are too short for `orphans` and `widows`. A short document is looked at only if it has several pages,
 * because a look takes half of the time of a page.
 */
import type { LoadedDocument } from '../../../chromium/loaded-document.ts';
import type { PrintSettings } from '../../../chromium/print/print-options.ts';
import { countPages } from '../../../pdf/objects/inspect.ts';
import { printPages } from '../page-ranges.ts';
import type { Print } from '../print.ts';

/**
 * Call it before the first print. A document that may be printed in windows is not laid out before. `isPrepared` tells whether the document
 * is printed again in any case.
 */
export async function keepLines(document: LoadedDocument, settings: PrintSettings, isPrepared: boolean): Promise<void> {
  if (document.mayBeLong) return;
  if (isPrepared || !isLookedAtLate(document, settings)) await document.keepShortParagraphs();
}

/** Prints again if a document that was not looked at has several pages, and such paragraphs. */
export async function printKeptLines(document: LoadedDocument, print: Print): Promise<Print> {
  const mayHaveBreaks = isLookedAtLate(document, print.settings) && countPages(print.chunks) > 1;
  return mayHaveBreaks && (await document.keepShortParagraphs()) ? printPages(document, print.settings) : print;
}

function isLookedAtLate({ htmlClass }: LoadedDocument, { pageRanges }: PrintSettings): boolean {
  return htmlClass.isShort && !pageRanges;
}
