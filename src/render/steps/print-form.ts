/**
 * Prints what the form fields of a document show: their appearances, and that of a signature in a signature field. This is done after
 * the document, whose PDF has the positions of the fields.
 */
import { hanLanguages } from '../../chromium/glyphs/han-fonts.ts';
import type { Findings } from '../../chromium/load/document-load.ts';
import type { Page } from '../../chromium/page.ts';
import { type PagePrint, type PrintJob, printOnce } from '../../chromium/print-once.ts';
import type { Deadline } from '../../deadline.ts';
import { fieldSizes } from '../../pdf/forms/field-places.ts';
import type { Forms } from '../../pdf/forms/forms.ts';
import { countPages } from '../../pdf/objects/inspect.ts';
import type { PagePool } from '../../pool/pool.ts';
import type { RenderOwner } from '../render-owner.ts';
import { fieldAppearances } from './field-appearances.ts';
import type { PrintedDocument } from './printed-document.ts';
import { appearanceHtml, namedField, printAppearance } from './signature-appearance.ts';
import type { ShownSignature, Signing } from './signing.ts';

export interface PrintedForm {
  /** The form data to add to the PDF. Undefined if no fields are wanted. */
  forms: Forms | undefined;
  /** What the prints of the appearances lack. */
  findings: Findings[];
  /** The appearance of a signature in a signature field of the document. */
  signature: ShownSignature | undefined;
}

export async function printForm(
  pool: PagePool<Page>,
  { chunks, fields, scale: printScale, settings }: PrintedDocument,
  key: string | undefined,
  signing: Signing | undefined,
  { boundary, shareOf }: RenderOwner,
  deadline: Deadline,
): Promise<PrintedForm> {
  if (key === undefined) return { forms: undefined, findings: [], signature: undefined };
  const sizes = fieldSizes(chunks, key);
  /** Runs `work` on a page of the owner. */
  const print = <T>(languages: string, work: (page: Page) => Promise<T>): Promise<T> => {
    const suits = (page: Page) => page.suits({ hanLanguages: languages });
    return pool.use(boundary, deadline, work, { shareOf, suits });
  };
  const style = { background: settings.printBackground, scale: printScale };
  const { scale, shown, jobs, pages: expected } = fieldAppearances(fields, sizes, style);
  const languages = hanLanguages(jobs.map(({ content }) => (content.kind === 'html' ? content.html : '')));
  const printed = jobs.length ? await print(languages, (page) => printJobs(page, jobs, languages, deadline)) : [];
  const pages = printed.reduce((sum, each) => sum + countPages(each.chunks), 0);
  if (pages !== expected) throw new Error('what the form fields show is not on one page each');
  const forms = { key, fields, scale, shown, appearances: printed.map((each) => each.chunks) };
  const findings = printed.map((each) => each.findings);
  const named = signing && namedField(signing, fields, sizes);
  if (!named) return { forms, findings, signature: undefined };
  const html = appearanceHtml(signing, named);
  const own = hanLanguages([html]);
  const appearance = await print(own, (page) => printAppearance(page, html, named, own, deadline));
  return { forms, findings, signature: { field: { number: named.number }, printed: appearance } };
}

/** Prints several jobs one after the other on the same page. */
async function printJobs(page: Page, jobs: PrintJob[], languages: string, deadline: Deadline): Promise<PagePrint[]> {
  const printed: PagePrint[] = [];
  for (const job of jobs) {
    if (printed.length) await page.reset();
    printed.push(await printOnce(page, { ...job, hanLanguages: languages }, deadline));
  }
  return printed;
}
