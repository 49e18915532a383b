/**
 * Translates CSS for pages that Chromium does not know (css-gcpm-3, css-content-3) to custom properties, whose cascade it computes: the
 * text of a style sheet in, rules to add to it out.
 */
import { THIS_ELEMENT } from '../../in-page/contract/paged.ts';
import { breaksAlways, translateBreak } from './always-breaks.ts';
import { type Declaration, readDeclarations, ruleWithin } from './css-statements.ts';
import { keepsFootnotesWhole, makesFootnote, restartsFootnotes, translateFootnote } from './footnote-rules.ts';
import { findPageCounters, isMiscounted, type PageCounter } from './page-counters.ts';
import { paintsGradient, placesPictures, translateGradients } from './page-gradients.ts';
import { findPictures } from './page-pictures.ts';
import type { PageSelector } from './page-selectors.ts';
import {
  MAX_TRANSLATED,
  movedRule,
  type PageRules,
  pageSelectorOf,
  renameMarginBox,
  type TranslatedDeclaration,
  translateSelectors,
} from './selector-rules.ts';

/** What the style sheets of a document say about its pages that Chromium does not know. */
export interface PagedStyles {
  /** What margin boxes show on each page, by the name of the counter style that they use for it. */
  marginTexts: ReadonlyMap<string, MarginText>;
  /** Whether elements may have something that depends on their pages. */
  hasElements: boolean;
  /** The declarations for the counters of pages. Empty if they leave the page numbers as they are. */
  pageCounters: readonly PageCounter[];
  hasFootnotes: boolean;
  /** Whether the numbers of footnotes begin again on each page. */
  restartsFootnotes: boolean;
  /** Whether the footnotes of a page are divided only if it has no room for all of them. */
  keepsFootnotesWhole: boolean;
  /** The declarations of margin boxes in their order. Empty unless elements run in margin boxes. */
  marginBoxes: readonly MarginDeclaration[];
  /** The counter style in which pages with a name show their number. Those without a name have an empty one. */
  numberStyles: ReadonlyMap<string, string>;
  /** The selectors of rules that depend on the numbers of pages, by the page name in which they are written. */
  numbered: ReadonlyMap<string, PageSelector>;
  /** The first declaration that is left out because there are too many. */
  leftOut: Pick<Declaration, 'property' | 'value'> | undefined;
  /** Whether any rule is for empty pages. */
  hasBlankRules: boolean;
  /** Whether pictures behind pages must be placed on each page. */
  placesPictures: boolean;
}

interface Translation extends PagedStyles {
  marginTexts: Map<string, MarginText>;
  /** For the end of each style sheet, whose order they keep. */
  rules: string[][];
  /** The URLs in the rules for pages of each style sheet. */
  pictures: string[][];
}

/** A declaration of a margin box. */
export interface MarginDeclaration {
  pages: PageSelector;
  /** Such as `top-center`. */
  box: string;
  property: string;
  value: string;
  /** The name and position of the element that it shows, if its content is one. */
  element: { name: string; position: string } | undefined;
}

/** What a margin box shows on each page. */
export type MarginText =
  | { kind: 'string'; name: string; position: string }
  | { kind: 'page' | 'section-page' | 'section-pages'; style: string };

/** Which page numbers are translated: where an element sets them, Chromium ignores it. */
interface Facts {
  setsPages: boolean;
  /** Whether generated content refers to other elements. */
  refers: boolean;
  /** Whether generated content shows the number of its page or of all pages, and not a counter of elements with the same name. */
  showsPage: boolean;
  /** Whether elements leave the flow to run in margin boxes. */
  runs: boolean;
  /** Whether any margin box shows something else than Chromium would. */
  changesMargins: boolean;
  paintsGradients: boolean;
  breaksAlways: boolean;
}

const MIRRORED = /^(?:string-set|bookmark-(?:level|label|state))$/;
const RUNNING = /(?<![\w-])running\(/i;
const ELEMENT_CALL = /(?<![\w-])element\(\s*([-\w\u0080-\uFFFF]+)\s*(?:,\s*([-\w]+)\s*)?\)/i;
const COUNTER_CHANGE = /^counter-(?:reset|set)$/;
const PAGE_COUNTER = /(?<![\w-])page(?![\w-])/i;
const ANY_PAGE_COUNTER = /(?<![\w-])pages?(?![\w-])/i;
export const REFERENCE = /(?<![\w-])(?:target-(?:counters?|text)|leader)\(/i;
/** The number of the page of the element itself, and of all pages. */
const OWN_PAGE = /(?<![\w-])counter\(\s*(pages?)(?=\s*[,)])/gi;
/** In a style sheet of style attributes, which have no rules of their own. */
const STYLE_ATTRIBUTES = '[style]';
/** Of all style sheets. */
const MAX_RULES = 10_000;
/** Each is compared with each page. */
const MAX_PAGE_COUNTERS = 1_000;
/** Each rule repeats its selectors. */
const MAX_RULE_CHARACTERS = 1_048_576;
/** The counter that numbers sheets, whatever number a page shows. */
const SHEET = 'platen-sheet';
const STRING_CALL = /(?<![\w-])string\(\s*([-\w\u0080-\uFFFF]+)\s*(?:,\s*([-\w]+)\s*)?\)/gi;
const PAGE_CALL = /(?<![\w-])counter\(\s*(page|section-page|section-pages)\s*(?:,\s*([-\w]+)\s*)?\)/gi;
/** Chromium knows `attr()` with another syntax for URLs. */
const URL_ATTRIBUTE = /attr\(\s*([-\w]+)\s+url\s*\)/gi;

/**
 * Translates all style sheets of a document. Those that `isLinked` says by their index may have another origin, so that the program in the
 * page cannot read their rules for pages; if it needs them, they are repeated.
 */
export function translatePaged(texts: readonly string[], isLinked: (sheet: number) => boolean): Translation {
  const pageRules: PageRules = { numbered: new Map(), left: MAX_TRANSLATED };
  const sheets = texts.map((text) => translateSelectors(text, [...readDeclarations(text)], pageRules).map(renameMarginBox));
  const all = sheets.flat();
  const pageCounters = all.flatMap(findPageCounters).slice(-MAX_PAGE_COUNTERS);
  const setsPages =
    pageCounters.some(isMiscounted) ||
    all.some((each) => (isInElement(each) || isInAttribute(each)) && !isOfRoot(each) && setsPageNumber(each));
  const facts = {
    setsPages,
    refers: all.some(({ property, value }) => property === 'content' && REFERENCE.test(value)),
    showsPage:
      !all.some((each) => !isOfPageRule(each) && countsPages(each)) && all.some((each) => isInElement(each) && showsPage(each)),
    runs: all.some(({ property, value }) => property === 'position' && RUNNING.test(value)),
    changesMargins: all.some((each) => changesMargin(each, setsPages)),
    paintsGradients: all.some(paintsGradient),
    breaksAlways: all.some((each) => isInElement(each) && breaksAlways(each)),
  };
  const marginTexts: Translation['marginTexts'] = new Map();
  const hasFootnotes = all.some(makesFootnote);
  const isPlaced = placesPictures(all);
  const readsPageRules = pageRules.numbered.size > 0 || isPlaced;
  const translate = (each: TranslatedDeclaration, sheet: number) => [
    ...movedRule(each),
    ...(readsPageRules && isLinked(sheet) ? repeatedRule(each) : []),
    ...translateStrings(each, marginTexts),
    (hasFootnotes && !isInAttribute(each) ? translateFootnote(each) : undefined) ??
      translateElement(each, facts, marginTexts) ??
      translateMargin(each, facts, marginTexts) ??
      (facts.paintsGradients ? translateGradients(each) : undefined) ??
      (facts.breaksAlways && isInElement(each) ? translateBreak(each) : undefined) ??
      [],
  ];
  const limits: RuleLimits = { rules: MAX_RULES, characters: MAX_RULE_CHARACTERS };
  const rules = sheets.map((declarations, sheet) => withinLimits(declarations, (each) => translate(each, sheet), limits));
  if (facts.changesMargins) rules[0]?.unshift(`@page { counter-increment: ${SHEET} }`);
  const inAttributes = all.some((each) => isInAttribute(each) && (MIRRORED.test(each.property) || RUNNING.test(each.value)));
  const hasElements = setsPages || inAttributes || all.some((each) => isMirrored(each, facts));
  const numberStyles = new Map(all.flatMap(numberStyle));
  const marginBoxes = facts.runs ? all.filter(isInMargin).flatMap(toMarginDeclaration) : [];
  return {
    rules,
    pictures: sheets.map((declarations) => declarations.filter(isOfPageRule).flatMap(findPictures)),
    marginTexts,
    hasElements,
    numberStyles,
    marginBoxes,
    hasFootnotes,
    restartsFootnotes: hasFootnotes && all.some(restartsFootnotes),
    keepsFootnotesWhole: hasFootnotes && all.some(keepsFootnotesWhole),
    numbered: pageRules.numbered,
    leftOut: pageRules.leftOut ?? limits.leftOut,
    hasBlankRules: all.some(({ pages }) => pages?.classes.some(({ kind }) => kind === 'blank')),
    placesPictures: isPlaced,
    pageCounters: pageCounters.some(({ number }) => number !== undefined) ? pageCounters : [],
  };
}

/** How many more rules may be added, of how many characters, and the first declaration for which there was no room. */
interface RuleLimits {
  rules: number;
  characters: number;
  leftOut?: Declaration;
}

/** Returns the rules of a style sheet while there are few enough of all. */
function withinLimits(
  declarations: readonly TranslatedDeclaration[],
  translate: (each: TranslatedDeclaration) => Array<string | string[]>,
  left: RuleLimits,
): string[] {
  const rules: string[] = [];
  for (const declaration of declarations) {
    const added = translate(declaration).flat();
    left.characters -= added.join('').length;
    left.rules -= added.length;
    if (left.characters < 0 || left.rules < 0) {
      if (added.length) left.leftOut ??= declaration;
      break;
    }
    rules.push(...added);
  }
  return rules;
}

/** A rule for pages, as it is written. Those that were moved are there already. */
function repeatedRule(declaration: TranslatedDeclaration): string[] {
  const { property, written, pages } = declaration;
  return property && !pages && isOfPageRule(declaration) ? [ruleWithin(written.within, `${property}: ${written.value}`)] : [];
}

function translateElement(declaration: Declaration, facts: Facts, marginTexts: Map<string, MarginText>): string | undefined {
  const { property, written } = declaration;
  if (!isMirrored(declaration, facts)) return undefined;
  const shown = property === 'content' ? withStrings(written.value, marginTexts) : written.value;
  const value = facts.showsPage && property === 'content' ? shown.replace(OWN_PAGE, `target-counter(${THIS_ELEMENT}, $1`) : shown;
  return ruleWithin(written.within, `--platen-${property}: ${value.replace(URL_ATTRIBUTE, 'attr($1)')}`);
}

/** Whether a custom property has the same value. */
function isMirrored(declaration: Declaration, { refers, showsPage, runs }: Facts): boolean {
  const { property } = declaration;
  if (!isInElement(declaration)) return false;
  return MIRRORED.test(property) || (property === 'content' && (refers || showsPage)) || (property === 'position' && runs);
}

/** All margin boxes are declared again, so that none loses its place in the cascade. */
function translateMargin(declaration: Declaration, facts: Facts, marginTexts: Map<string, MarginText>): string | undefined {
  const { property, written } = declaration;
  if (facts.changesMargins && property === 'counter-increment' && /^@page\b/i.test(declaration.within.at(-1) ?? ''))
    return ruleWithin(written.within, `counter-increment: ${written.value} ${SHEET}`);
  if (!facts.changesMargins || property !== 'content' || !isInMargin(declaration)) return undefined;
  if (ELEMENT_CALL.test(written.value)) return ruleWithin(written.within, 'content: none');
  const value = withStrings(written.value, marginTexts).replace(PAGE_CALL, (call, kind: string, style = 'decimal') => {
    const counted = kind.toLowerCase() as 'page';
    const isNative = counted === 'page' && !facts.setsPages;
    if (isNative) return call;
    const name = `platen-${counted}-${style.toLowerCase()}`;
    marginTexts.set(name, { kind: counted, style: style.toLowerCase() });
    return `counter(${SHEET}, ${name})`;
  });
  return ruleWithin(written.within, `content: ${value}`);
}

/** A value with counters in place of strings, whose styles show the string of each sheet. */
function withStrings(value: string, marginTexts: Map<string, MarginText>): string {
  return value.replace(STRING_CALL, (_, name: string, given = 'first') => {
    const position = given.toLowerCase();
    const style = `platen-string-${name}-${position}`;
    marginTexts.set(style, { kind: 'string', name, position });
    return `counter(${SHEET}, ${style})`;
  });
}

/** What is painted over pages shows strings as well. */
function translateStrings(declaration: Declaration, marginTexts: Map<string, MarginText>): string[] {
  const { property, written } = declaration;
  if (property !== 'content' || !isInElement(declaration) || written.value.search(STRING_CALL) < 0) return [];
  return [ruleWithin(written.within, `content: ${withStrings(written.value, marginTexts)}`)];
}

function changesMargin(declaration: Declaration, setsPages: boolean): boolean {
  const { property, value } = declaration;
  if (property !== 'content' || !isInMargin(declaration)) return false;
  return (
    Array.from(value.matchAll(PAGE_CALL)).some(([, kind]) => setsPages || kind !== 'page') ||
    value.search(STRING_CALL) >= 0 ||
    ELEMENT_CALL.test(value)
  );
}

function toMarginDeclaration(declaration: TranslatedDeclaration): MarginDeclaration[] {
  const { property, within, written } = declaration;
  const [, name, position = 'first'] = (property === 'content' && ELEMENT_CALL.exec(written.value)) || [];
  const pages = pageSelectorOf(declaration, within.at(-2));
  if (!pages) return [];
  const box = (within.at(-1) ?? '').slice(1).toLowerCase();
  const element = name === undefined ? undefined : { name, position: position.toLowerCase() };
  return [{ pages, box, property, value: written.value, element }];
}

/** The name of pages, and the style of the number in one of their margin boxes. */
function numberStyle(declaration: Declaration): Array<[name: string, style: string]> {
  const { property, value, within } = declaration;
  if (property !== 'content' || !isInMargin(declaration)) return [];
  const [, name = ''] = /^@page\s+([\w-]+)/i.exec(within.at(-2) ?? '') ?? [];
  const shown = Array.from(value.matchAll(PAGE_CALL)).find(([, kind]) => kind === 'page');
  return shown ? [[name, (shown[2] ?? 'decimal').toLowerCase()]] : [];
}

/** Whether a counter named `page` or `pages` is set or counted. */
function countsPages({ property, value }: Declaration): boolean {
  return /^counter-/.test(property) && ANY_PAGE_COUNTER.test(value);
}

function showsPage({ property, value }: Declaration): boolean {
  return property === 'content' && value.search(OWN_PAGE) >= 0;
}

function isOfPageRule({ within }: Declaration): boolean {
  return within.some((each) => /^@page\b/i.test(each));
}

function setsPageNumber({ property, value }: Declaration): boolean {
  return COUNTER_CHANGE.test(property) && PAGE_COUNTER.test(value);
}

/** Chromium counts pages from the root by itself. */
function isOfRoot({ within }: Declaration): boolean {
  return /^(?:html|:root)$/i.test(within.at(-1) ?? '');
}

/** Whether a declaration is in a margin box of an `@page` rule. */
function isInMargin({ within }: Declaration): boolean {
  return /^@(?:top|bottom|left|right)-/i.test(within.at(-1) ?? '') && /^@page\b/i.test(within.at(-2) ?? '');
}

/** Whether a declaration is in a style attribute. */
function isInAttribute({ within }: Declaration): boolean {
  return within.at(-1) === STYLE_ATTRIBUTES;
}

function isInElement({ property, within }: Declaration): boolean {
  const block = within.at(-1) ?? '';
  return (
    property !== '' &&
    block !== '' &&
    block !== STYLE_ATTRIBUTES &&
    !within.some((each) => /^@(?:page|font-face|keyframes|counter-style|property|footnote)\b/i.test(each))
  );
}
