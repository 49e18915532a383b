/**
 * Inspects a loaded document for problems without an event: missing parts, and CSS without effect. It evaluates nothing in the page
 * if the markup gives no reason to.
 */
import { Type } from 'typebox';
import type { Effect, LostContent } from '../../../in-page/contract/inspection.ts';
import { MAX_LANGUAGE_CHARACTERS, MAX_LANGUAGES, MAX_LOST_LINKS, MAX_LOST_URL } from '../../../in-page/contract/limits.ts';
import { KEPT_LINES, STICKY } from '../../../in-page/contract/relevant-css.ts';
import { ask, BOOLEAN, createIsolatedWorld } from '../../devtools/ask.ts';
import type { Session } from '../../devtools/connection.ts';
import { shape } from '../../devtools/evaluate.ts';
import type { Step } from '../../devtools/step.ts';
import type { PagedStyles } from '../../page-css/paged-properties.ts';
import { shortName } from '../../print/content-clipping.ts';
import type { MissingResource } from '../../print/missing-resource.ts';
import { findSizes } from '../../print/page-sizes.ts';
import type { PrintSettings } from '../../print/print-options.ts';
import { applyDocumentChoices } from '../../print/print-window.ts';
import { namedSizes, type PrintersMarks, readPrintersMarks, withBleed } from '../../print/printers-marks.ts';
import type { HtmlClass } from '../html/classify-html.ts';
import { findUnsupportedCss, shown, type UnsupportedCss } from '../html/unsupported-css.ts';
import { findHyphenator } from '../hyphenation/patterns.ts';
import { withinTime } from '../time-limit.ts';
import { MISSING_PARTS, missingResources } from './missing-resources.ts';
import { findPagedCandidates } from './paged-css.ts';
import { type DocumentStyles, readStyles, type TextAt } from './style-sheets.ts';

export interface InspectionFindings {
  unsupported: UnsupportedCss[];
  /** The first element whose text became a picture, and their number. */
  rasterized: Omit<Effect, 'index'> | undefined;
  lost: LostContent;
}

const NO_PAGED_STYLES: PagedStyles = {
  marginTexts: new Map(),
  hasElements: false,
  pageCounters: [],
  numberStyles: new Map(),
  marginBoxes: [],
  hasFootnotes: false,
  restartsFootnotes: false,
  keepsFootnotesWhole: false,
  numbered: new Map(),
  leftOut: undefined,
  hasBlankRules: false,
  placesPictures: false,
};
const PAGE_LIMITS =
  'of what Chromium lacks, style sheets have at most 10,000 declarations for pages, of 1 MiB, and 100 selectors by page number; what follows may be left out, too';
const NOTHING: DocumentStyles = { texts: [], rules: [], paged: NO_PAGED_STYLES };
/** Limits the time of an answer, which a document can delay. */
const MAX_LOOK_MS = 3_000;
const CONTENT_HEIGHT = /size\s*:[^;{}]{0,80}\bauto\b/i;
const SIDED_BREAK = /break-(?:before|after)\s*:\s*(?:left|right|recto|verso)/i;
const AUTO_HYPHENS = /hyphens\s*:\s*auto/i;
const NO_DICTIONARY = 'write soft hyphens (&shy;)';
const NOTHING_LOST: LostContent = { links: [] };

const Text = Type.String();
const EFFECTS = shape(Type.Array(Type.Object({ index: Type.Integer(), element: Text, count: Type.Integer() })));
const LANGUAGES = shape(Type.Array(Type.String({ maxLength: MAX_LANGUAGE_CHARACTERS }), { maxItems: MAX_LANGUAGES }));
const LOST = shape(
  Type.Object({
    closed: Type.Optional(Type.Object({ element: Text, count: Type.Integer() })),
    links: Type.Array(Type.Object({ url: Type.String({ maxLength: MAX_LOST_URL }), element: Text }), {
      maxItems: MAX_LOST_LINKS,
    }),
  }),
);

interface World {
  contextId: number;
}

export class DocumentInspection {
  readonly #session: Session;
  readonly #frameId: string;
  readonly #textAt: TextAt;
  #styles = NOTHING;
  #printersMarks: PrintersMarks | undefined;
  /** Whether all breaks to a page of one side are right, so that they are not reported. */
  keepsSides = false;
  /** Whether pages have the sizes and margins of rules by their number. */
  placesPages = false;
  /** Undefined for images, which have no pages. */
  readonly #print: PrintSettings | undefined;

  constructor(session: Session, frameId: string, textAt: TextAt, print: PrintSettings | undefined) {
    this.#session = session;
    this.#frameId = frameId;
    this.#textAt = textAt;
    this.#print = print;
  }

  /** Whether rules were added to its style sheets. */
  get hasAddedRules(): boolean {
    return this.#styles.rules.length > 0;
  }

  /** What its style sheets say about its pages that Chromium does not know. */
  get pagedStyles(): PagedStyles {
    return this.#styles.paged;
  }

  /** Call it before printing. It makes page sizes that Chromium does not know take effect, and returns them. */
  async readStyles({ mayHaveUnsupportedCss }: HtmlClass, step: Step): Promise<string[]> {
    if (!mayHaveUnsupportedCss) return [];
    this.#styles = await readStyles(this.#session, this.#textAt, step);
    await this.#addBleed(step);
    return findSizes(this.#styles.rules.join(' '));
  }

  /** The marks that style sheets ask for, and that are added to the PDF. */
  get printersMarks(): PrintersMarks | undefined {
    return this.#printersMarks;
  }

  async #addBleed(step: Step): Promise<void> {
    const print = this.#print && this.applyPageStyles(this.#print);
    const marks = print && !print.singlePage ? readPrintersMarks(this.#ownTexts()) : undefined;
    if (!print || !marks) return;
    const grow = () => ask(this.#session, 'growPages', [marks.bleedInches, namedSizes(print.paper)], BOOLEAN);
    if (!marks.bleedInches || (await step(grow()))) this.#printersMarks = marks;
  }

  /** Rules for pages have no effect in shadow trees and frames. */
  #ownTexts(): string[] {
    return this.#styles.texts.flatMap(({ text, isScoped }) => (isScoped ? [] : text));
  }

  get hasSidedBreaks(): boolean {
    return this.#styles.texts.some(({ text }) => SIDED_BREAK.test(text));
  }

  /** Whether a style sheet makes boxes stick. */
  get mayStick(): boolean {
    return this.#styles.texts.some(({ text }) => STICKY.test(text));
  }

  /** Whether a style sheet says how many lines of a paragraph stay together. */
  get keepsLines(): boolean {
    return this.#styles.texts.some(({ text }) => KEPT_LINES.test(text));
  }

  /** Whether a style sheet asks for hyphenation. */
  get asksForHyphens(): boolean {
    return this.#styles.texts.some(({ text }) => AUTO_HYPHENS.test(text));
  }

  /** The settings with a page as high as its content, or with a bleed, if style sheets say so. */
  applyPageStyles(print: PrintSettings): PrintSettings {
    if (this.#printersMarks) return withBleed(print, this.#printersMarks);
    const own = this.#ownTexts();
    if (print.singlePage || !own.some((text) => CONTENT_HEIGHT.test(text))) return print;
    const chosen = applyDocumentChoices(print, own);
    return chosen.singlePage ? chosen : print;
  }

  /** Call it after printing. */
  async findings(
    { isStatic, hasResources, mayLoseContent }: HtmlClass,
    hasScript: boolean,
  ): Promise<InspectionFindings & { missing: MissingResource[] }> {
    const missing = hasResources ? await inTime(ask(this.#session, 'findMissingParts', [hasScript], MISSING_PARTS)) : [];
    const isAdded = ({ property }: UnsupportedCss) => this.#printersMarks && /^(?:marks|bleed)$/.test(property);
    const stated = findUnsupportedCss(this.#styles.texts).filter((each) => !isAdded(each));
    const hyphenated = await Promise.all(stated.map((each) => (each.property === 'hyphens' ? this.#inVain(each) : each)));
    const { paged, rasterized } = await this.#findPaged();
    const unsupported = [...hyphenated.filter((each) => each !== undefined), ...paged, ...this.#findLeftOut()];
    const findLost = (world: World) => ask(this.#session, 'findLostContent', [], LOST, world);
    const isAsked = mayLoseContent && this.#print !== undefined;
    const mayHaveLost = isAsked && (!isStatic || (await inTime(ask(this.#session, 'mayHaveLost', [], BOOLEAN))));
    const lost = mayHaveLost ? await this.#inOwnWorld(findLost) : undefined;
    return { missing: missingResources(missing ?? []), unsupported, rasterized, lost: lost ? shortenNames(lost) : NOTHING_LOST };
  }

  #findLeftOut(): UnsupportedCss[] {
    const { leftOut } = this.#styles.paged;
    if (!leftOut) return [];
    const value = shown(leftOut.value);
    return [{ property: leftOut.property || '@page', value, where: 'style', effect: 'is left out', why: PAGE_LIMITS }];
  }

  async #findPaged(): Promise<{ paged: UnsupportedCss[]; rasterized: InspectionFindings['rasterized'] }> {
    const print = this.#print;
    const choosesSize = print?.paperChosenBy === 'document' && !print.singlePage;
    const candidates = findPagedCandidates(print ? this.#styles.texts : []).filter(
      ({ property, question, isLate }) =>
        (choosesSize || property !== 'size') && !(this.keepsSides && question.check === 'break') && !(this.placesPages && isLate),
    );
    const questions = candidates.map(({ question }) => question);
    const findEffects = (world: World) => ask(this.#session, 'findEffects', [questions], EFFECTS, world);
    const effects = candidates.length ? await this.#inOwnWorld(findEffects) : [];
    const found = (effects ?? []).flatMap(({ index, ...effect }) => {
      const candidate = candidates[index];
      return candidate ? [{ candidate, effect: { ...effect, element: shortName(effect.element) } }] : [];
    });
    const isRasterized = ({ candidate }: (typeof found)[number]) => candidate.question.check === 'rasterized';
    const paged = found
      .filter((each) => !isRasterized(each))
      .map(({ candidate: { property, value, where, effect: said, why }, effect: { element } }) => ({
        ...{ property, value: shown(value), where, effect: said, why },
        ...(element && { element }),
      }));
    return { paged, rasterized: found.find(isRasterized)?.effect };
  }

  async #inVain(hyphens: UnsupportedCss): Promise<UnsupportedCss | undefined> {
    const unhyphenated = (await inTime(ask(this.#session, 'findUnhyphenated', [], LANGUAGES))) ?? [];
    const hyphenators = await Promise.all(unhyphenated.map(findHyphenator));
    const languages = unhyphenated.filter((_, index) => !hyphenators[index]);
    if (!languages.length) return undefined;
    const named = languages.filter(Boolean).map((language) => `for ${language}`);
    const unnamed = languages.includes('') ? ['for text without a lang attribute'] : [];
    return { ...hyphens, why: `there is no dictionary ${[...named, ...unnamed].join(', ')}; ${NO_DICTIONARY}` };
  }

  /** Asks in an isolated world, whose built-ins the document cannot change. */
  async #inOwnWorld<T>(asking: (world: World) => Promise<T>): Promise<T | undefined> {
    const contextId = await createIsolatedWorld(this.#session, this.#frameId).catch(() => undefined);
    return contextId === undefined ? undefined : inTime(asking({ contextId }));
  }
}

/** Returns undefined if the document gives no valid answer, for example because it navigates to another. */
function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  const valid = answer.catch(() => undefined);
  return withinTime(valid, MAX_LOOK_MS, undefined);
}

function shortenNames({ closed, links }: LostContent): LostContent {
  return {
    ...(closed && { closed: { ...closed, element: shortName(closed.element) } }),
    links: links.map(({ url, element }) => ({ url: url.toWellFormed(), element: shortName(element) })),
  };
}
