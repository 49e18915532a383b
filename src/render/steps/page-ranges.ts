/** Prints the pages that the request wants, and checks that the document has them. Chromium does not report how many it has. */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import type { PrintSettings } from '../../chromium/print/print-options.ts';
import { hasCode } from '../../errors.ts';
import { countPages } from '../../pdf/objects/inspect.ts';
import { beyondTheEnd, mayLackPages } from '../request/values/page-ranges.ts';
import type { Print } from './print.ts';

/** Chromium prints nothing, and fails, if the ranges name no page of the document. Throws `print_failed`, which then says so. */
export async function printPages(document: LoadedDocument, settings: PrintSettings): Promise<Print> {
  try {
    return { ...(await document.print(settings)), settings };
  } catch (error) {
    if (settings.pageRanges && hasCode(error, 'print_failed')) await countAll(document, settings);
    throw error;
  }
}

/** Throws `print_failed` if the ranges name pages that the document does not have. */
export async function requirePages(document: LoadedDocument, { settings, chunks }: Print): Promise<void> {
  const { pageRanges } = settings;
  if (pageRanges && mayLackPages(pageRanges, countPages(chunks))) await countAll(document, settings);
}

/** Prints all pages to count them. */
async function countAll(document: LoadedDocument, settings: PrintSettings): Promise<void> {
  const { chunks } = await document.print({ ...settings, pageRanges: '' });
  const error = beyondTheEnd('options.pageRanges', settings.pageRanges, countPages(chunks));
  if (error) throw error;
}
