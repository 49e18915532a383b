/** Warns of what looks wrong at the ends of pages: what may do so in a document, and where a print has it. */
import { Type } from 'typebox';
import { DONE } from '../../../chromium/devtools/ask.ts';
import { shape } from '../../../chromium/devtools/evaluate.ts';
import type { LoadedDocument } from '../../../chromium/loaded-document.ts';
import { type PrintSettings, pageHeight } from '../../../chromium/print/print-options.ts';
import { type PageRisk, RISK_KINDS } from '../../../in-page/contract/layout.ts';
import { MAX_PAGE_RISKS } from '../../../in-page/contract/limits.ts';
import type { Place } from '../../../pdf/paged/probes.ts';
import type { PagedOutcome } from '../../paged-outcome.ts';
import type { Warning } from '../../report-schema.ts';
import type { PagedPart, PagedPrint } from '../paged-part.ts';

const POINTS_PER_PX = 0.75;
/** Points that a box may overlap the area of the page without covering anything. */
const OVERLAP = 4;
const MAX_NAME = 100;
const Length = Type.Number();
/** The answer to `findPageRisks`. */
const PAGE_RISKS = shape(
  Type.Array(
    Type.Object({
      kind: Type.Enum(RISK_KINDS),
      element: Type.String(),
      reason: Type.String({ maxLength: 200 }),
      fromLink: Type.Union([Type.Null(), Type.Object({ x: Length, y: Length, width: Length, height: Length })]),
    }),
    { maxItems: MAX_PAGE_RISKS },
  ),
);

/** Finds the pages on which something looks wrong, and a message about it. */
type Judge = (risk: PageRisk, places: readonly Place[], next: Place | undefined, print: PagedPrint) => Finding | undefined;
type Finding = Pick<Warning, 'message' | 'pages'>;

export class PageWarnings implements PagedPart {
  readonly #document: LoadedDocument;
  readonly #risks: readonly PageRisk[];
  readonly #scale: number;

  /** Returns undefined if there is nothing to look at. */
  static async prepare(document: LoadedDocument, key: string, settings: PrintSettings): Promise<PageWarnings | undefined> {
    const risks = await findRisks(document, [key, pageHeight(settings)]);
    return risks.length ? new PageWarnings(document, risks, settings.scale) : undefined;
  }

  private constructor(document: LoadedDocument, risks: readonly PageRisk[], scale: number) {
    this.#document = document;
    this.#risks = risks;
    this.#scale = scale;
  }

  async end(print: PagedPrint): Promise<PagedOutcome> {
    const { paged, htmlClass } = this.#document;
    await (htmlClass.isStatic ? paged.askStatic('removeRiskLinks', [], DONE) : paged.ask('removeRiskLinks', [], DONE));
    const judges: Record<PageRisk['kind'], Judge> = {
      break_ignored: judgeBreak,
      heading_alone: judgeHeading,
      box_cut: judgePicture,
      content_covered: (...facts) => judgeCover(this.#scale * POINTS_PER_PX, ...facts),
    };
    const pageWarnings = this.#risks.flatMap((risk, number): Warning[] => {
      const places = print.places.get(`risk-${number}`) ?? [];
      const finding = judges[risk.kind](risk, places, print.places.get(`risk-${number}-next`)?.[0], print);
      const element = risk.element.slice(0, MAX_NAME);
      return finding ? [{ kind: risk.kind, element, ...finding, message: `${element} ${finding.message}` }] : [];
    });
    return { pageWarnings };
  }
}

async function findRisks(
  { htmlClass, mentions, paged }: LoadedDocument,
  args: [key: string, heightPx: number],
): Promise<PageRisk[]> {
  if (htmlClass.isStatic) return paged.askStatic('findPageRisks', args, PAGE_RISKS);
  return mentions.risks ? paged.ask('findPageRisks', args, PAGE_RISKS) : [];
}

function judgeBreak({ reason }: PageRisk, places: readonly Place[]): Finding {
  return { message: `has a forced page break that Chromium ignores, because ${reason}`, pages: pagesOf(places) };
}

function judgeHeading(_: PageRisk, places: readonly Place[], next: Place | undefined): Finding | undefined {
  const place = places.at(-1);
  if (!place || next?.page !== place.page + 1) return undefined;
  const remedy = 'set break-after: avoid on headings';
  return { message: `is at the end of a page, and what follows it begins on the next one; ${remedy}`, pages: pagesOf(places) };
}

function judgePicture(_: PageRisk, places: readonly Place[]): Finding | undefined {
  const pages = pagesOf(places);
  if (pages.length < 2) return undefined;
  return { message: 'is taller than the page, which cuts it; set max-height: 100vh or a height in print', pages };
}

function judgeCover(
  scale: number,
  { fromLink }: PageRisk,
  places: readonly Place[],
  _: Place | undefined,
  { places: all, file }: PagedPrint,
): Finding | undefined {
  const [link] = places;
  const area = all.get('pages')?.find(({ page }) => page === link?.page);
  const isOnAll = pagesOf(places).length === file.pages.length; // else it is in a margin
  if (!link || !area || !fromLink || file.pages.length < 2 || !isOnAll) return undefined;
  const top = link.y + fromLink.y * scale;
  const bottom = top + fromLink.height * scale;
  if (Math.min(bottom, area.y + area.height) - Math.max(top, area.y) < OVERLAP) return undefined;
  const isAbove = top + bottom < 2 * area.y + area.height;
  const room = Math.ceil(isAbove ? bottom : bottom - top + area.y);
  const [template, side] = isAbove ? ['headerTemplate', 'top'] : ['footerTemplate', 'bottom'];
  const remedy = `print it with ${template} or in a margin box, and a ${side} margin of ${room}pt`;
  return { message: `is on every page, and covers what is there; ${remedy}`, pages: pagesOf(places) };
}

function pagesOf(places: readonly Place[]): number[] {
  return [...new Set(places.map(({ page }) => page + 1))];
}
