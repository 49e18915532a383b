/** Finds out which content of a loaded document depends on its pages, and prepares it. */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import type { PagedStyles } from '../../chromium/page-css/paged-properties.ts';
import { takeFootnotes } from '../../chromium/paged/footnotes.ts';
import { readPagedContent } from '../../chromium/paged/paged-content.ts';
import { readSidedBreaks } from '../../chromium/paged/sided-breaks.ts';
import type { PrintSettings } from '../../chromium/print/print-options.ts';
import type { PagedElements, PagedFootnote } from '../../in-page/contract/paged.ts';
import { countPages } from '../../pdf/objects/inspect.ts';
import type { PrintOrder } from '../print-order.ts';
import { probeKey } from '../probe-key.ts';
import type { PagedPlan } from '../request/paged-options.ts';
import type { Print } from '../steps/print.ts';
import { FixedInMargins } from './fixed-in-margins.ts';
import { FootnoteRooms } from './footnote-rooms.ts';
import { Footnotes } from './footnotes.ts';
import { GeneratedContent } from './generated-content.ts';
import { LastBlock } from './layout/last-block.ts';
import { LayoutReport } from './layout/layout-report.ts';
import { PageWarnings } from './layout/page-warnings.ts';
import { preparePageHeaders } from './page-headers.ts';
import { PageStyles } from './page-styles.ts';
import { PagedContent } from './paged-content.ts';
import type { PagedPart } from './paged-part.ts';
import { SidedBreaks } from './sided-breaks.ts';
import { preparePagedTables } from './tables/paged-tables.ts';

/** Returns undefined if there is no such content. `settings` are those of the print. */
export async function preparePaged(
  document: LoadedDocument,
  order: PrintOrder,
  settings: PrintSettings,
): Promise<PagedContent | undefined> {
  const { content, print, paged } = order;
  const key = probeKey(content, 'place');
  const isTagged = print.tagged || print.outline;
  const isLookedAt = mayBeLookedAt(document, settings);
  const fixed = isLookedAt ? await FixedInMargins.prepare(document) : undefined; // before the page numbers in them are read
  const sidedBreaks = await prepareSidedBreaks(document, key);
  const tables = await preparePagedTables(document, key, isTagged);
  const mayHaveNotes = document.pagedStyles.hasFootnotes && !settings.singlePage;
  const footnotes = mayHaveNotes ? await takeFootnotes(document.paged, `${key}n`, isTagged) : []; // before the text around them is read
  const generated = await prepareGenerated(document, key, paged, settings, sidedBreaks);
  const found: Array<PagedPart | undefined> = [
    ...generated,
    footnotes.length ? prepareFootnotes(document, footnotes, generated, { key: `${key}n`, isTagged }) : undefined,
    sidedBreaks,
    tables,
    settings.singlePage ? undefined : await LastBlock.prepare(document, key),
    paged?.layout ? await LayoutReport.prepare(document, key, order, paged.layout) : undefined,
    fixed,
  ];
  const parts = found.filter((part) => part !== undefined);
  const canWait = !parts.length && isProbablyOnePage(document);
  const warnings = isLookedAt && !canWait ? await PageWarnings.prepare(document, key, settings) : undefined;
  if (warnings) parts.push(warnings);
  return parts.length ? new PagedContent(document, key, parts) : undefined;
}

/** Looks at a document that had no such content, and has several pages in its first print. If there is something to look at, it must be printed again. */
export async function lookAgain(
  document: LoadedDocument,
  { content }: PrintOrder,
  { chunks, settings }: Print,
): Promise<PagedContent | undefined> {
  const isLookedAt = isProbablyOnePage(document) && mayBeLookedAt(document, settings) && countPages(chunks) > 1;
  const key = probeKey(content, 'place');
  const warnings = isLookedAt ? await PageWarnings.look(document, key, settings) : undefined;
  return warnings && new PagedContent(document, key, [warnings]);
}

/** Pages with rooms of their own keep the rules for their names. */
function prepareFootnotes(
  document: LoadedDocument,
  footnotes: readonly PagedFootnote[],
  generated: readonly PagedPart[],
  options: { key: string; isTagged: boolean },
): PagedPart {
  const { restartsFootnotes: restarts, keepsFootnotesWhole: keepsWhole } = document.pagedStyles;
  const content = generated.find((part) => part instanceof GeneratedContent);
  const hasNames = generated.some((part) => part instanceof PageStyles);
  const rooms = content && !hasNames ? new FootnoteRooms(document, content) : undefined;
  return new Footnotes(document.paged, footnotes, { ...options, restarts, keepsWhole, rooms });
}

/** Headers and footers, and rules for pages with a number, show the page numbers and strings of the document. */
async function prepareGenerated(
  document: LoadedDocument,
  key: string,
  plan: PagedPlan | undefined,
  settings: PrintSettings,
  sidedBreaks: SidedBreaks | undefined,
): Promise<PagedPart[]> {
  const { hasElements, hasFootnotes, marginTexts, pageCounters, numbered, placesPictures } = document.pagedStyles;
  const hasHeaders = plan?.header || plan?.footer;
  const selectsPages = (numbered.size > 0 || placesPictures) && !settings.singlePage;
  const isNeeded = hasElements || hasFootnotes || marginTexts.size > 0 || pageCounters.length > 0 || hasHeaders || selectsPages;
  if (!plan?.contents && !isNeeded) return [];
  const elements = await readPagedContent(document.paged, key, plan?.contents);
  const generated = new GeneratedContent(document, elements, sidedBreaks);
  return [
    generated,
    ...(hasHeaders ? [await preparePageHeaders(document, generated, plan, settings)] : []),
    ...(selectsPages && (placesPictures || maySelect(numbered, elements)) ? [await PageStyles.prepare(document, generated)] : []),
  ];
}

/** Whether any rule is for all pages, or for pages with a name that the document has. */
function maySelect(numbered: PagedStyles['numbered'], { names }: PagedElements): boolean {
  const known = new Set(['', ...names.map(({ name }) => name)]);
  return [...numbered.values()].some(
    ({ name, classes }) => known.has(name) && classes.every((each) => each.kind !== 'nth' || known.has(each.of)),
  );
}

async function prepareSidedBreaks(document: LoadedDocument, key: string): Promise<SidedBreaks | undefined> {
  const breaks = document.hasSidedBreaks ? await readSidedBreaks(document.paged, `${key}side`) : [];
  return breaks.length ? new SidedBreaks(document, breaks) : undefined;
}

/** Whether something may look wrong on its pages. A single page has no breaks, and a document that may be printed in windows is not looked at. */
function mayBeLookedAt({ htmlClass, mentions, mayBeLong }: LoadedDocument, { singlePage }: PrintSettings): boolean {
  const { isStatic, mayLookWrong, mayEndBadly } = htmlClass;
  return (mayLookWrong || mayEndBadly) && (isStatic || mentions.risks) && !mayBeLong && !singlePage;
}

/** Whether it is looked at only if it has several pages, because a look takes a quarter of the time of a short document. */
function isProbablyOnePage({ htmlClass: { isShort, mayLookWrong } }: LoadedDocument): boolean {
  return isShort && !mayLookWrong;
}
