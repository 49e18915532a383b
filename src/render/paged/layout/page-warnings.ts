/** Warns of what looks wrong on pages: what may do so in a document, and where a print has it. */
import { Type } from 'typebox';
import { DONE } from '../../../chromium/devtools/ask.ts';
import { shape } from '../../../chromium/devtools/evaluate.ts';
import type { LoadedDocument } from '../../../chromium/loaded-document.ts';
import type { PrintSettings } from '../../../chromium/print/print-options.ts';
import { type PageRisk, type RelativeBox, RISK_KINDS } from '../../../in-page/contract/layout.ts';
import { MAX_PAGE_RISKS } from '../../../in-page/contract/limits.ts';
import { readPageView } from '../../../pdf/paged/page-areas.ts';
import type { Place } from '../../../pdf/paged/probes.ts';
import { POINTS_PER_PX } from '../../../units.ts';
import type { PagedOutcome } from '../../paged-outcome.ts';
import type { Warning } from '../../report-schema.ts';
import type { PagedPart, PagedPrint } from '../paged-part.ts';

/** Points that a box may overlap the area of the page without covering anything. */
const OVERLAP = 4;
/** The part of a line that must be covered. */
const COVERED_PART = 0.4;
const MAX_NAME = 100;
const Length = Type.Number();
const BOX = Type.Object({ x: Length, y: Length, width: Length, height: Length });
const RISKS = Type.Array(
  Type.Object({
    kind: Type.Enum(RISK_KINDS),
    element: Type.String(),
    reason: Type.String({ maxLength: 200 }),
    destinations: Type.Union([Type.Null(), Type.Tuple([Type.String(), Type.String()])]),
    fromMark: Type.Union([Type.Null(), BOX]),
    paints: Type.Array(BOX, { maxItems: 100 }),
    texts: Type.Array(Type.Object({ element: Type.String(), heightPx: Length, lines: Type.Array(BOX, { maxItems: 100 }) }), {
      maxItems: 100,
    }),
  }),
  { maxItems: MAX_PAGE_RISKS },
);
/** The answer to `findPageRisks`. */
const PAGE_RISKS = shape(RISKS);
/** The answer to `findPageEnds`. */
const PAGE_ENDS = shape(Type.Union([Type.Null(), RISKS]));

/** What a print tells of a risk. */
interface Evidence {
  risk: PageRisk;
  /** Where the element is. */
  places: readonly Place[];
  /** The indexes of the pages with the element, and that with the beginning of what belongs to it. */
  pages: number[];
  nextPage: number | undefined;
  /** Where each of the texts begins that may be below it. */
  texts: ReadonlyArray<Place | undefined>;
  print: PagedPrint;
  /** Points per pixel. */
  scale: number;
}

/** Finds the pages on which something looks wrong, and a message about it. */
type Judge = (evidence: Evidence) => Finding | undefined;
type Finding = Pick<Warning, 'message' | 'pages'>;

export class PageWarnings implements PagedPart {
  readonly #document: LoadedDocument;
  readonly #key: string;
  readonly #risks: readonly PageRisk[];
  readonly #scale: number;

  /** Returns undefined if nothing may look wrong. A document is laid out only if its styles do not tell. */
  static async prepare(document: LoadedDocument, key: string, settings: PrintSettings): Promise<PageWarnings | undefined> {
    const { isStatic, mayLookWrong } = document.htmlClass;
    if (!isStatic || mayLookWrong) return PageWarnings.look(document, key, settings);
    const risks = await document.paged.askStatic('findPageEnds', [key, document.pageHeight(settings)], PAGE_ENDS);
    return risks ? PageWarnings.#of(document, key, settings, risks) : PageWarnings.look(document, key, settings);
  }

  /** Lays the document out to look at it. */
  static async look(document: LoadedDocument, key: string, settings: PrintSettings): Promise<PageWarnings | undefined> {
    const risks = await findRisks(document, [key, document.pageHeight(settings)]);
    return PageWarnings.#of(document, key, settings, risks);
  }

  static #of(
    document: LoadedDocument,
    key: string,
    { scale }: PrintSettings,
    risks: readonly PageRisk[],
  ): PageWarnings | undefined {
    return risks.length ? new PageWarnings(document, key, risks, scale) : undefined;
  }

  private constructor(document: LoadedDocument, key: string, risks: readonly PageRisk[], scale: number) {
    this.#document = document;
    this.#key = key;
    this.#risks = risks;
    this.#scale = scale;
  }

  async end(print: PagedPrint): Promise<PagedOutcome> {
    const { paged, htmlClass } = this.#document;
    await (htmlClass.isStatic ? paged.askStatic('removeRiskLinks', [], DONE) : paged.ask('removeRiskLinks', [], DONE));
    // Chromium shrinks a document that is too wide.
    const scale = POINTS_PER_PX * (readPageView(print.file, 0)?.scale ?? this.#scale);
    const pageWarnings = joinEqual(this.#risks.flatMap((risk, number) => this.#judge(risk, number, print, scale)));
    print.file.removeDestinations(`${this.#key}risk`);
    return { pageWarnings };
  }

  #judge(risk: PageRisk, number: number, print: PagedPrint, scale: number): Warning[] {
    const find = (name = '') => print.places.get(`risk-${number}${name}`) ?? [];
    const { kind, judge } = JUDGES[risk.kind];
    const texts = risk.texts.map((_, index) => find(`-text-${index}`)[0]);
    const [at, nextAt] = (risk.destinations ?? []).map((name) => print.file.destinationOf(name)?.index);
    const places = find();
    const pages = at === undefined ? [...new Set(places.map(({ page }) => page))] : [at];
    const finding = judge({ risk, places, pages, nextPage: nextAt ?? find('-next')[0]?.page, texts, print, scale });
    const element = risk.element.slice(0, MAX_NAME);
    return finding ? [{ kind, element, ...finding, message: `${element} ${finding.message}` }] : [];
  }
}

const JUDGES: Record<PageRisk['kind'], { kind: Warning['kind']; judge: Judge }> = {
  break_ignored: { kind: 'break_ignored', judge: judgeBreak },
  box_divided: { kind: 'break_ignored', judge: judgeDivided },
  box_separated: { kind: 'break_ignored', judge: judgeSeparated },
  heading_alone: { kind: 'heading_alone', judge: judgeHeading },
  picture_cut: { kind: 'box_cut', judge: judgePicture },
  text_cut: { kind: 'box_cut', judge: judgeText },
  diagram_cut: { kind: 'box_cut', judge: judgeDiagram },
  page_covered: { kind: 'content_covered', judge: judgeFixed },
  text_covered: { kind: 'content_covered', judge: judgeCover },
};

/** Joins warnings of the same about several elements. */
function joinEqual(warnings: readonly Warning[]): Warning[] {
  const groups = Map.groupBy(warnings, ({ kind, message }) => `${kind} ${message}`);
  return [...groups.values()].map((group) => {
    const pages = new Set(group.flatMap((each) => each.pages ?? []));
    return { ...(group[0] as Warning), pages: [...pages].sort((one, other) => one - other) };
  });
}

async function findRisks({ htmlClass, paged }: LoadedDocument, args: [key: string, heightPx: number]): Promise<PageRisk[]> {
  return htmlClass.isStatic ? paged.askStatic('findPageRisks', args, PAGE_RISKS) : paged.ask('findPageRisks', args, PAGE_RISKS);
}

function judgeBreak({ risk, pages }: Evidence): Finding {
  return { message: `has a forced page break that Chromium ignores, because ${risk.reason}`, pages: numbersOf(pages) };
}

function judgeDivided({ risk, pages }: Evidence): Finding | undefined {
  if (pages.length < 2) return undefined;
  return { message: `has break-inside: avoid and is divided between pages, because ${risk.reason}`, pages: numbersOf(pages) };
}

function judgeSeparated({ risk, pages, nextPage }: Evidence): Finding | undefined {
  if (!isSeparated(pages, nextPage)) return undefined;
  const message = `has break-after: avoid and is not on the page of what follows it, because ${risk.reason}`;
  return { message, pages: numbersOf(pages) };
}

function judgeHeading({ pages, nextPage }: Evidence): Finding | undefined {
  if (!isSeparated(pages, nextPage)) return undefined;
  const remedy = 'set break-after: avoid on headings';
  return { message: `is at the end of a page, and what follows it begins on the next one; ${remedy}`, pages: numbersOf(pages) };
}

function isSeparated(pages: readonly number[], nextPage: number | undefined): boolean {
  const page = pages.at(-1);
  return page !== undefined && nextPage === page + 1;
}

function judgePicture(evidence: Evidence): Finding | undefined {
  return judgeTall(evidence, 'set max-height: 100vh or a height in print');
}

function judgeText(evidence: Evidence): Finding | undefined {
  return judgeTall(evidence, 'give it a display that is not inline, which pages can divide, such as block or flex');
}

function judgeTall({ pages }: Evidence, remedy: string): Finding | undefined {
  return pages.length < 2 ? undefined : { message: `is taller than the page, which cuts it; ${remedy}`, pages: numbersOf(pages) };
}

function judgeDiagram({ risk, places: [place], print, scale }: Evidence): Finding | undefined {
  const [box] = risk.paints;
  const end = place && pageEnd(print, place.page);
  if (!place || !box || end === undefined || place.y + box.height * scale < end + OVERLAP) return undefined;
  return { message: 'is cut by the end of a page; set break-inside: avoid', pages: [place.page + 1, place.page + 2] };
}

/** The lower edge of a page between its margins. */
function pageEnd(print: PagedPrint, page: number): number {
  const { top, height } = print.area(page);
  return top + height;
}

function judgeFixed({ risk: { fromMark }, places, pages, print: { area: areaOf, file }, scale }: Evidence): Finding | undefined {
  const [link] = places;
  const isOnAll = pages.length === file.pages.length; // else it is in a margin
  if (!link || !fromMark || file.pages.length < 2 || !isOnAll) return undefined;
  const area = areaOf(link.page);
  const top = link.y + fromMark.y * scale;
  const bottom = top + fromMark.height * scale;
  if (Math.min(bottom, area.top + area.height) - Math.max(top, area.top) < OVERLAP) return undefined;
  const isAbove = top + bottom < 2 * area.top + area.height;
  const room = Math.ceil(isAbove ? bottom : bottom - top + area.top);
  const [template, side] = isAbove ? ['headerTemplate', 'top'] : ['footerTemplate', 'bottom'];
  const remedy = `print it with ${template} or in a margin box, and a ${side} margin of ${room}pt`;
  return { message: `is on every page, and covers what is there; ${remedy}`, pages: numbersOf(pages) };
}

/** Of what is divided, the part on the first page counts. */
function judgeCover({ risk, places: [place], texts, print, scale }: Evidence): Finding | undefined {
  const end = place && pageEnd(print, place.page);
  if (!place || end === undefined) return undefined;
  const paints = risk.paints.map((each) => placeBox(each, place, scale)).filter(({ y }) => y < end);
  const covered = risk.texts.find(({ heightPx, lines }, number) => {
    const text = texts[number];
    if (text?.page !== place.page) return false;
    const isDivided = text.y + heightPx * scale > end + OVERLAP;
    const last = isDivided ? end - lastLines(lines) * scale : end + OVERLAP;
    const printed = lines.map((each) => placeBox(each, text, scale)).filter(({ y, height }) => y + height <= last);
    return printed.some((line) => paints.some((paint) => covers(paint, line)));
  });
  if (!covered) return undefined;
  const room = Math.ceil(Math.max(...risk.paints.map(({ y, height }) => y + height)) * scale);
  const remedy = `leave ${room}pt free for it, such as by a padding, or set a negative z-index if it is a background`;
  return { message: `covers text of ${covered.element.slice(0, MAX_NAME)}; ${remedy}`, pages: [place.page + 1] };
}

/** The height at the end of a page from which lines may be on the next one, because `orphans` and `widows` keep lines together. */
function lastLines(lines: readonly RelativeBox[]): number {
  return 2 * Math.max(...lines.map(({ height }) => height));
}

function placeBox({ x, y, width, height }: RelativeBox, corner: Place, scale: number): RelativeBox {
  return { x: corner.x + x * scale, y: corner.y + y * scale, width: width * scale, height: height * scale };
}

/** Whether so much of a line is below a box that it cannot be read. */
function covers(paint: RelativeBox, line: RelativeBox): boolean {
  const width = Math.min(paint.x + paint.width, line.x + line.width) - Math.max(paint.x, line.x);
  const height = Math.min(paint.y + paint.height, line.y + line.height) - Math.max(paint.y, line.y);
  return width >= OVERLAP && height >= COVERED_PART * Math.min(paint.height, line.height);
}

function numbersOf(pages: readonly number[]): number[] {
  return pages.map((page) => page + 1);
}
