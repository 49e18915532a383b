/** Finds out which content of a loaded document depends on its pages, and prepares it. */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { takeFootnotes } from '../../chromium/paged/footnotes.ts';
import { readPagedContent } from '../../chromium/paged/paged-content.ts';
import { readSidedBreaks } from '../../chromium/paged/sided-breaks.ts';
import type { PrintSettings } from '../../chromium/print/print-options.ts';
import type { PrintOrder } from '../print-order.ts';
import { probeKey } from '../probe-key.ts';
import type { PagedPlan } from '../request/paged-options.ts';
import { Footnotes } from './footnotes.ts';
import { GeneratedContent } from './generated-content.ts';
import { LastBlock } from './layout/last-block.ts';
import { LayoutReport } from './layout/layout-report.ts';
import { PageWarnings } from './layout/page-warnings.ts';
import { preparePageHeaders } from './page-headers.ts';
import { PagedContent } from './paged-content.ts';
import type { PagedPart } from './paged-part.ts';
import { SidedBreaks } from './sided-breaks.ts';
import { preparePagedTables } from './tables/paged-tables.ts';

/** Returns undefined if there is no such content. `settings` are those of the print. */
export async function preparePaged(
  document: LoadedDocument,
  { content, print, paged }: PrintOrder,
  settings: PrintSettings,
): Promise<PagedContent | undefined> {
  const key = probeKey(content, 'place');
  const found: Array<PagedPart | undefined> = [
    await preparePagedTables(document, key, print.tagged || print.outline),
    print.singlePage ? undefined : await prepareFootnotes(document, key),
    ...(await prepareGenerated(document, key, paged, settings)),
    await prepareSidedBreaks(document, key),
    print.singlePage ? undefined : await LastBlock.prepare(document, key),
    paged?.layout ? await LayoutReport.prepare(document, key, print, paged.layout) : undefined,
    mayWarn(document, print) ? await PageWarnings.prepare(document, key, print) : undefined,
  ];
  const parts = found.filter((part) => part !== undefined);
  return parts.length ? new PagedContent(document, key, parts) : undefined;
}

async function prepareFootnotes({ pagedStyles, paged }: LoadedDocument, key: string): Promise<PagedPart | undefined> {
  const footnotes = pagedStyles.hasFootnotes ? await takeFootnotes(paged, `${key}n`) : [];
  return footnotes.length ? new Footnotes(paged, footnotes) : undefined;
}

/** Headers and footers show the page numbers and strings of the document. */
async function prepareGenerated(
  document: LoadedDocument,
  key: string,
  plan: PagedPlan | undefined,
  settings: PrintSettings,
): Promise<PagedPart[]> {
  const { hasElements, marginTexts, firstNumber } = document.pagedStyles;
  const hasHeaders = plan?.header || plan?.footer;
  if (!plan?.contents && !hasElements && !marginTexts.size && !firstNumber && !hasHeaders) return [];
  const generated = new GeneratedContent(document, await readPagedContent(document.paged, key, plan?.contents));
  return hasHeaders ? [generated, await preparePageHeaders(document, generated, plan, settings)] : [generated];
}

async function prepareSidedBreaks(document: LoadedDocument, key: string): Promise<PagedPart | undefined> {
  const breaks = document.hasSidedBreaks ? await readSidedBreaks(document.paged, `${key}side`) : [];
  return breaks.length ? new SidedBreaks(document, breaks) : undefined;
}

/** Breaks are neither in a single page nor looked for in a document that may be printed in windows. */
function mayWarn({ htmlClass, mayBeLong }: LoadedDocument, { singlePage }: PrintSettings): boolean {
  return htmlClass.mayBreakBadly && !mayBeLong && !singlePage;
}
