/** Finds out which content of a loaded document depends on its pages, and prepares it. */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { takeFootnotes } from '../../chromium/paged/footnotes.ts';
import { readPagedContent } from '../../chromium/paged/paged-content.ts';
import { readSidedBreaks } from '../../chromium/paged/sided-breaks.ts';
import type { PrintSettings } from '../../chromium/print/print-options.ts';
import type { PrintOrder } from '../print-order.ts';
import { probeKey } from '../probe-key.ts';
import { Footnotes } from './footnotes.ts';
import { GeneratedContent } from './generated-content.ts';
import { LastBlock } from './layout/last-block.ts';
import { LayoutReport } from './layout/layout-report.ts';
import { preparePageHeaders } from './page-headers.ts';
import { PageWarnings } from './layout/page-warnings.ts';
import { PagedContent } from './paged-content.ts';
import type { PagedPart } from './paged-part.ts';
import { SidedBreaks } from './sided-breaks.ts';
import { preparePagedTables } from './tables/paged-tables.ts';

/** Returns undefined if there is no such content. */
export async function preparePaged(
  document: LoadedDocument,
  { content, print, paged }: PrintOrder,
  settings: PrintSettings,
): Promise<PagedContent | undefined> {
  const key = probeKey(content, 'place');
  const contents = paged?.contents;
  const tables = await preparePagedTables(document, key, print.tagged || print.outline);
  const parts: PagedPart[] = tables ? [tables] : [];
  const { hasElements, marginTexts, firstNumber, hasFootnotes } = document.pagedStyles;
  const footnotes = hasFootnotes ? await takeFootnotes(document.paged, `${key}n`) : [];
  if (footnotes.length) parts.push(new Footnotes(document.paged, footnotes));
  const hasHeaders = paged?.header || paged?.footer;
  if (contents || hasElements || marginTexts.size || firstNumber || hasHeaders) {
    const generated = new GeneratedContent(document, await readPagedContent(document.paged, key, contents));
    parts.push(generated);
    if (hasHeaders) parts.push(await preparePageHeaders(document, generated, paged, settings));
  }
  const breaks = document.hasSidedBreaks ? await readSidedBreaks(document.paged, `${key}side`) : [];
  if (breaks.length) parts.push(new SidedBreaks(document, breaks));
  const last = print.singlePage ? undefined : await LastBlock.prepare(document, key);
  if (last) parts.push(last);
  if (paged?.layout) parts.push(await LayoutReport.prepare(document, key, print, paged.layout));
  const warnings = mayWarn(document, print) ? await PageWarnings.prepare(document, key, print) : undefined;
  if (warnings) parts.push(warnings);
  return parts.length ? new PagedContent(document, key, parts) : undefined;
}

/** Breaks are neither in a single page nor looked for in a document that may be printed in windows. */
function mayWarn({ htmlClass, mayBeLong }: LoadedDocument, { singlePage }: PrintSettings): boolean {
  return htmlClass.mayBreakBadly && !mayBeLong && !singlePage;
}
