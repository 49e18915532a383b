/**
 * Translates `@page` rules whose selectors Chromium drops (`ParsePageSelector`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/css/parser/css_parser_impl.cc). Lists, `:blank`,
 * and every other page are written as selectors that it knows. Others get the name of no page: their rules are in the style sheets, and
 * have no effect until the print tells which pages they select.
 */
import { BLANK_PAGE, EVEN_PAGES, ODD_PAGES } from '../../in-page/contract/page-selectors.ts';
import { type Declaration, isOfPage, ruleWithin } from './css-statements.ts';
import { type PageSelector, parsePageSelector } from './page-selectors.ts';

/** A declaration in a rule that Chromium knows, with the selector that it had before. */
export interface TranslatedDeclaration extends Declaration {
  pages?: PageSelector;
}

/** What the style sheets of a document have in common. */
export interface PageRules {
  /** The selectors of rules that depend on the numbers of pages, by the page name in which they are written. */
  numbered: Map<string, PageSelector>;
  /** How many more declarations are translated. Each is repeated for every selector of its rule. */
  left: number;
  /** The first declaration that is not. */
  leftOut?: Declaration;
}

export const MAX_TRANSLATED = 10_000;
/** Each page is compared with each. */
const MAX_NUMBERED = 100;
const RULE = /^@page\b(.*)$/is;
/** Lists, several classes, classes after a name, and those that Chromium does not know. */
const MAY_TRANSLATE = /:(?:blank|nth)|@page[^{},]{0,200},|@page(?![-\w])\s{0,9}:?[-\w\u0080-\uFFFF]{1,100}\s{0,9}:/i;
const PRINCE_BOXES: Record<string, string> = { '@top': '@top-center', '@bottom': '@bottom-center' };
const NUMBERED = 'platen-numbered';
/** For what decides where the content of such pages is. */
const PLACED = 'platen-placed';
/** What decides where the content of a page is. */
const GEOMETRY = /^(?:size|margin|padding|border(?!.*-color$)|(?:(?:min|max)-)?(?:width|height|inline|block)|page-orientation)/;

/** Replaces declarations in rules that Chromium drops. */
export function translateSelectors(
  css: string,
  declarations: readonly Declaration[],
  rules: PageRules,
): readonly TranslatedDeclaration[] {
  if (!MAY_TRANSLATE.test(css)) return declarations;
  const blocks = new Set(declarations.flatMap(({ within }) => within));
  const translations = new Map(Array.from(blocks, (block) => [block, translateSelector(block)]));
  return declarations.flatMap((declaration): TranslatedDeclaration[] => {
    const at = declaration.within.findIndex((block) => translations.get(block));
    if (at < 0) return [declaration];
    const all = translations.get(declaration.within[at] ?? '') ?? [];
    const translated = all.slice(0, rules.left);
    if (translated.length < all.length) rules.leftOut ??= declaration;
    rules.left -= translated.length;
    return translated.map(([pages, name]) => {
      const isNumbered = name.startsWith(NUMBERED);
      const written = isNumbered && changesGeometry(declaration) ? name.replace(NUMBERED, PLACED) : name;
      if (isNumbered && declaration.property) addNumbered(rules, written, pages, declaration);
      return { ...declaration, ...movedTo(`@page ${written}`, at, declaration), pages };
    });
  });
}

function addNumbered(rules: PageRules, written: string, pages: PageSelector, declaration: Declaration): void {
  if (rules.numbered.has(written) || rules.numbered.size < MAX_NUMBERED) rules.numbered.set(written, pages);
  else rules.leftOut ??= declaration;
}

function movedTo(block: string, at: number, { within, written }: Declaration): Pick<Declaration, 'within' | 'written'> {
  return { within: within.with(at, block), written: { ...written, within: written.within.with(at, block) } };
}

/** The selector of the `@page` rule in which a declaration is, which begins this block. */
export function pageSelectorOf({ pages }: TranslatedDeclaration, block = ''): PageSelector | undefined {
  return pages ?? (/^@page\b/i.test(block) ? parsePageSelector(block.slice('@page'.length)) : undefined);
}

/** Calls the two margin boxes by the names of css-page-3 that Prince calls `@top` and `@bottom`. */
export function renameMarginBox(declaration: TranslatedDeclaration): TranslatedDeclaration {
  const { within } = declaration;
  const name = PRINCE_BOXES[within.at(-1)?.toLowerCase() ?? ''];
  const pages = name && pageSelectorOf(declaration, within.at(-2));
  return pages ? { ...declaration, ...movedTo(name, within.length - 1, declaration), pages } : declaration;
}

/** The rule of a translated declaration. */
export function movedRule({ property, written, pages }: TranslatedDeclaration): string[] {
  return pages && property ? [ruleWithin(written.within, `${property}: ${written.value}`)] : [];
}

/** Whether the rules that are written for a page name move the content of pages. */
export function movesContent(name: string): boolean {
  return name.startsWith(PLACED);
}

/** The selectors of pages that are known too late for a declaration, because it moves their content. */
export function findLateSelectors(declaration: Declaration): PageSelector[] {
  if (!changesGeometry(declaration)) return [];
  const translated = translateSelector(declaration.within.at(-1) ?? '') ?? [];
  return translated.flatMap(([selector, name]) => (name.startsWith(NUMBERED) ? selector : []));
}

function changesGeometry(declaration: Declaration): boolean {
  return isOfPage(declaration) && GEOMETRY.test(declaration.property);
}

/** Whether a block begins a rule for pages whose selectors are known, here or to Chromium. */
export function isKnownRule(block: string): boolean {
  return parseRule(block) !== undefined;
}

/** The selectors of a rule, and what stands for each. Undefined if Chromium knows the rule, or if nobody does. */
function translateSelector(block: string): Array<[selector: PageSelector, text: string]> | undefined {
  const selectors = parseRule(block);
  const translated = selectors?.map((each): [PageSelector, string] => [each, toKnown(each) ?? nameNumbered(each)]);
  const [[first, text] = [], ...others] = translated ?? [];
  return others.length || (first && text !== write(first)) ? translated : undefined;
}

function parseRule(block: string): PageSelector[] | undefined {
  const [, prelude] = RULE.exec(block) ?? [];
  const texts = prelude?.split(',') ?? [];
  const selectors = texts.map(parsePageSelector).filter((each) => each !== undefined);
  const isComplete = selectors.length === texts.length && (texts.length === 1 || texts.every((each) => each.trim()));
  return prelude !== undefined && isComplete ? selectors : undefined;
}

/** Returns undefined if Chromium has no selector for the same pages. */
function toKnown({ name, classes }: PageSelector): string | undefined {
  const isBlank = !name && classes[0]?.kind === 'blank';
  const [only, ...others] = (isBlank ? classes.slice(1) : classes).map((each) => toKnownClass(each, name));
  if (others.length || (classes.length > Number(isBlank) && !only)) return undefined;
  return (isBlank ? BLANK_PAGE : name) + (only ?? '');
}

function toKnownClass(pageClass: PageSelector['classes'][number], name: string): string | undefined {
  if (pageClass.kind === 'left' || pageClass.kind === 'right') return `:${pageClass.kind}`;
  if (pageClass.kind === 'first') return name ? undefined : ':first';
  return pageClass.kind === 'nth' && !pageClass.of ? toKnownNumber(pageClass) : undefined;
}

function toKnownNumber({ step, offset }: Record<'step' | 'offset', number>): string | undefined {
  if (step === 0) return offset === 1 ? ':first' : undefined;
  if (step !== 2 || offset > 1) return undefined;
  return offset % 2 ? ODD_PAGES : EVEN_PAGES;
}

/** The name of no page, made from a selector. */
function nameNumbered({ name, classes }: PageSelector): string {
  const words = classes.map((each) => (each.kind === 'nth' ? [each.kind, each.step, each.offset, each.of].join('_') : each.kind));
  return [NUMBERED, name, ...words].join('_');
}

function write({ name, classes }: PageSelector): string {
  return [name, ...classes.map(({ kind }) => kind)].join(':');
}
