/** Prints a document on a single page that is as high as its content. */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import type { PrintSettings } from '../../chromium/print/print-options.ts';
import { ServiceError } from '../../errors.ts';
import { countPages } from '../../pdf/objects/inspect.ts';
import type { Print } from './print.ts';

/** How often a single page that became several is measured again. */
const MAX_MEASURES = 2;

/** Returns the settings of the first print. */
export async function layOut(document: LoadedDocument, settings: PrintSettings): Promise<PrintSettings> {
  return settings.singlePage ? document.fitOnOnePage(settings) : settings;
}

/** Prints a single page again with more height if it became several pages. Throws `print_failed` if it always does. */
export async function joinPages(document: LoadedDocument, print: Print): Promise<Print> {
  if (!print.settings.singlePage) return print;
  let joined = print;
  for (let more = 0; countPages(joined.chunks) > 1; more++) {
    if (more === MAX_MEASURES) throw neverFits();
    const settings = await document.layout.growPage(joined.settings, countPages(joined.chunks));
    joined = { ...(await document.print(settings)), settings };
  }
  return joined;
}

function neverFits(): ServiceError {
  const detail = 'the document grows with its page, so that it never fits on one; give its parts heights of their own';
  return new ServiceError('print_failed', `options.singlePage: ${detail}`, { isPlain: true });
}
