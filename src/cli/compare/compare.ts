/** `platen compare`: shows what differs between PDFs, or between the same documents rendered by two browsers or two versions of Platen. */
import { availableParallelism } from 'node:os';
import { loadConfig } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { PdfComparison } from '../../uploads/compare/compare-pdfs.ts';
import type { PageDifference } from '../../uploads/compare/compare-worker.ts';
import { explain, UsageError } from '../explain.ts';
import { changeToCallerFolder } from '../render/caller-folder.ts';
import { parseJson, readInput } from '../render/render-file.ts';
import { print, printJson, printTable } from '../terminal/print.ts';
import { type DocumentDifference, type DocumentPair, findPairs } from './document-pairs.ts';
import { IS_URL, renderPairs, requireKey, type Side } from './render-sides.ts';
import { ReportPage } from './report-page.ts';
import { readDocuments, readTemplates, type SourceDocument } from './source-documents.ts';

interface Flags {
  browser?: string;
  with?: string;
  withBrowser?: string;
  options?: string;
  tolerance: number;
  json?: boolean;
  report?: string;
}

const LANES = Math.max(1, availableParallelism());
const LIMITS = {
  ...{ lanes: LANES, processes: LANES + 1, maxPages: 50_000, totalMs: Number.POSITIVE_INFINITY },
  ...{ waitMs: 3_600_000, timeoutMs: 600_000 },
};
const OWNER = 'compare';
const PICTURES = { longestEdge: 1_400, most: Number.POSITIVE_INFINITY };
const [DIFFERENT, FAILED] = [1, 2];

/** Exit status: 0 if all documents are the same, 1 if some differ, 2 if one failed or nothing could be compared. */
export async function compare(before: string, after: string | undefined, flags: Flags): Promise<void> {
  try {
    const config = loadConfig();
    changeToCallerFolder();
    await using pairs = await openPairs(before, after, flags, config.mcp.apiKey);
    const found = await compareAll(pairs.documents, flags);
    if (flags.json) printJson(summarize(found));
    else printFound(found, flags);
    process.exitCode = exitCode(found);
  } catch (error) {
    throw new UsageError(explain(error));
  }
}

async function openPairs(before: string, after: string | undefined, flags: Flags, key: string | undefined) {
  const { browser, options, with: version, withBrowser } = flags;
  const isRendered = browser !== undefined || version !== undefined || withBrowser !== undefined;
  if (after !== undefined && isRendered)
    throw new ServiceError('invalid_request', 'two files or folders are compared as they are: leave out --browser and --with');
  if (after !== undefined) return { documents: await findPairs(before, after), async [Symbol.asyncDispose]() {} };
  if (version === undefined && withBrowser === undefined)
    throw new ServiceError(
      'invalid_request',
      'name a second PDF or folder, or what renders the documents again: --with or --with-browser',
    );
  const sides: [Side, Side] = [{ browser }, { version, browser: withBrowser ?? browser }];
  const given = options === undefined ? undefined : parseJson(await readInput(options), options);
  const read = IS_URL.test(before) ? await readTemplates(before, requireKey(key)) : await readDocuments(before);
  return renderPairs(given === undefined ? read : read.map((each) => withOptions(each, given)), sides, key);
}

function withOptions({ name, item }: SourceDocument, options: unknown): SourceDocument {
  return { name, item: item instanceof Error ? item : { ...item, options } };
}

async function compareAll(documents: DocumentPair[], { report: folder, tolerance }: Flags): Promise<DocumentDifference[]> {
  const report = folder === undefined ? undefined : await ReportPage.create(folder);
  const comparison = new PdfComparison(LIMITS);
  const pictures = report && PICTURES;
  const found: DocumentDifference[] = [];
  try {
    for (const pair of documents) {
      const difference = await compareOne(pair, (before, after) =>
        comparison.compare(OWNER, { before, after, tolerance, ...(pictures && { pictures }) }),
      );
      await report?.add(difference);
      found.push({ ...difference, differences: difference.differences.map(({ pictures: _drawn, ...page }) => page) });
    }
  } finally {
    comparison.close();
  }
  await report?.finish();
  return found;
}

type ComparePdfs = (before: Uint8Array, after: Uint8Array) => Promise<PageDifference[]>;

async function compareOne({ name, before, after }: DocumentPair, comparePdfs: ComparePdfs): Promise<DocumentDifference> {
  const pages = { same: 0, changed: 0, added: 0, removed: 0 };
  const nothing = { document: name, pages, differences: [] };
  try {
    if (!before || !after) return { ...nothing, status: before ? 'removed' : 'added' };
    const all = await comparePdfs(await before(), await after());
    for (const { status } of all) pages[status]++;
    const differences = all.filter(({ status }) => status !== 'same');
    return { ...nothing, status: differences.length ? 'changed' : 'same', differences };
  } catch (error) {
    return { ...nothing, status: 'failed', error: explain(error) };
  }
}

function exitCode(found: DocumentDifference[]): number {
  if (found.some(({ status }) => status === 'failed')) return FAILED;
  return found.every(({ status }) => status === 'same') ? 0 : DIFFERENT;
}

function summarize(documents: DocumentDifference[]) {
  const count = (wanted: boolean, ...statuses: Array<DocumentDifference['status']>) =>
    documents.filter(({ status }) => statuses.includes(status) === wanted).length;
  return { same: count(true, 'same'), different: count(false, 'same', 'failed'), failed: count(true, 'failed'), documents };
}

function printFound(found: DocumentDifference[], { report }: Flags): void {
  printTable(
    found.map(({ document, status, pages }) => ({
      document,
      status,
      ...Object.fromEntries(Object.entries(pages).map(([name, count]) => [`pages ${name}`, String(count)])),
    })),
  );
  for (const { document, error } of found) if (error) process.stderr.write(`platen: ${document}: ${error}\n`);
  const { same, different, failed } = summarize(found);
  print(`${same} same, ${different} different, ${failed} failed${report === undefined ? '' : `; see ${report}/index.html`}`);
}
