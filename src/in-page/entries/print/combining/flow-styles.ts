/**
 * Decides whether style sheets lay a document out as a plain flow: each box lies below the one before it and is as high as its content,
 * so that nothing leaves the pages of its document, and nothing depends on where these pages are. What is not known is refused.
 */
import { type AnyRule, listRules, RULE_TYPES } from '../../../dom/rules.ts';

const ANY = /^/;
const NONE = /^none$/;
const LENGTH = /^(?:auto|0|\+?(?:\d+|\d*\.\d+)(?:px|pt|pc|in|cm|mm|q|em|rem|ex|ch|%))$/i;
/** What a box may be. Rows of a grid and columns of a flexible box can be lower than their content. */
const DISPLAY =
  /^(?:none|block|inline|inline-block|list-item|flow-root|(?:inline-)?(?:flex|grid)|(?:inline-)?table(?:-[a-z-]+)?)$/;
/** Chromium draws broken and wavy lines on all pages of the print, where only the edge of the paper hides them. */
const LINE_STYLE = /^(?:none|hidden|solid|double|groove|ridge|inset|outset)$/;
/** Strings, but no counters, quotes or images. */
const CONTENT = /^(?:none|normal|"(?:[^"\\]|\\.)*")$/;

/** Properties, as a style declaration lists them, and the values that they may have. The first that matches applies. */
const PROPERTIES: Array<[property: RegExp, value: RegExp]> = [
  [/^--/, ANY],
  [/^margin-/, LENGTH],
  [/^(?:padding-|(?:min-|max-)?width$|min-height$|(?:row|column)-gap$|text-indent$)/, ANY],
  [/^(?:color|fill|stroke|stroke-(?:width|linecap|linejoin)|text-anchor|dominant-baseline|background-color)$/, ANY],
  [/^background-image$/, NONE],
  [/^background-(?:position-[xy]|size|repeat|origin|clip)$/, ANY],
  [/^background-attachment$/, /^scroll$/],
  [/^border-image-source$/, NONE],
  [/^border-.*-style$/, LINE_STYLE],
  [/^text-decoration-style$/, LINE_STYLE],
  [/^border-/, ANY],
  [/^(?:box-sizing|table-layout|caption-side|empty-cells|visibility|cursor)$/, ANY],
  [/^font-/, ANY],
  [/^(?:line-height|letter-spacing|word-spacing|word-break|overflow-wrap|line-break|tab-size|white-space-collapse)$/, ANY],
  [/^(?:vertical-align|baseline-(?:shift|source)|alignment-baseline)$/, ANY],
  [/^text-(?:align|align-last|transform|decoration-.*|underline-.*|justify|rendering|wrap-mode|wrap-style)$/, ANY],
  [/^list-style-image$/, NONE],
  [/^list-style-/, ANY],
  [/^display$/, DISPLAY],
  [/^float$/, /^(?:none|left|right)$/],
  [/^clear$/, ANY],
  [/^flex-direction$/, /^row$/],
  [/^(?:flex-(?:grow|shrink|basis|wrap)|order|(?:align|justify)-(?:items|self|content))$/, ANY],
  [/^grid-template-columns$/, ANY],
  [/^(?:break-inside|orphans|widows)$/, ANY],
  [/^break-(?:before|after)$/, /^(?:auto|page|avoid|avoid-page)$/],
  [/^content$/, CONTENT],
  [/^(?:-webkit-)?print-color-adjust$/, ANY],
];
/** Descriptors of pages. */
const PAGE = /^(?:size|margin-(?:top|right|bottom|left))$/;
/** Selectors that look at the document or at more than one, and what makes boxes of its own. */
const UNKNOWN_SELECTOR = /:(?:root|host|scope|target|has|state|modal|fullscreen|popover|part|slotted|-|view|backdrop)|&|\|/i;
/** A selector of `svg` elements alone. */
const DRAWING = /(?:^|[\s>+~])svg(?:[.#][\w-]+)*\s*$/;
const MEDIA = 4;
/** Strings and the number of the page, or of pages, which is 1 in every combined document. */
const MARGIN_CONTENT = /^(?:none|normal|(?:(?:"(?:[^"\\]|\\.)*"|counter\(pages?\))\s*)+)$/;
const PAGE_NUMBER = /counter\(pages?\)|"(?:[^"\\]|\\.)*"/g;
/** Units that depend on the font of the root element, of which only the size is known. */
const ROOT_UNIT = /\dr(?:lh|ex|ch|cap|ic)\b/i;

/** Whether all rules are known, except for `@page` rules. */
export function arePlainRules(sheet: { cssRules: CSSRuleList }): boolean {
  return [...listRules(sheet)].every(isPlainRule);
}

export function hasMarginBoxes(sheet: CSSStyleSheet): boolean {
  return [...listRules(sheet)].some(({ cssRules }) => cssRules?.length);
}

/** Makes the only page of each document its first and last. */
export function numberSinglePages(sheet: CSSStyleSheet): void {
  for (const rule of listRules(sheet))
    for (const { style } of rule.cssRules ? listRules({ cssRules: rule.cssRules }) : [])
      style?.setProperty(
        'content',
        style.getPropertyValue('content').replace(PAGE_NUMBER, (part) => (part.startsWith('c') ? '"1"' : part)),
        style.getPropertyPriority('content'),
      );
}

/** `isDrawing` is set for styles of `svg` elements, which cut off what is higher. */
export function isPlainStyle(style: CSSStyleDeclaration, isDrawing: boolean): boolean {
  const isPlain = (property: string) => isPlainDeclaration(property, style.getPropertyValue(property));
  return Array.from(style).every((property) => isPlain(property) || (isDrawing && property === 'height'));
}

/** Pages that are all alike, but for the number of a page in a margin box. */
function arePlainPages(style: CSSStyleDeclaration, marginRules: CSSRuleList | undefined): boolean {
  const boxes = [...listRules({ cssRules: marginRules ?? ([] as unknown as CSSRuleList) })];
  return (
    Array.from(style).every((property) => PAGE.test(property)) && boxes.every((box) => box.style && isPlainMarginBox(box.style))
  );
}

function isPlainMarginBox(style: CSSStyleDeclaration): boolean {
  return Array.from(style).every((property) => {
    const value = style.getPropertyValue(property);
    const isKnown = property === 'content' ? MARGIN_CONTENT.test(value) : isPlainDeclaration(property, value);
    return isKnown && value !== '' && !value.includes('var(');
  });
}

function isPlainDeclaration(property: string, value: string): boolean {
  const [, values] = PROPERTIES.find(([known]) => known.test(property)) ?? [];
  return values !== undefined && (value === 'initial' || values.test(value)) && !ROOT_UNIT.test(value);
}

function isPlainRule(rule: AnyRule): boolean {
  const { type, style, cssRules, selectorText = '' } = rule;
  if (type === MEDIA && cssRules)
    return [...listRules({ cssRules })].every((inner) => inner.type !== RULE_TYPES.page && isPlainRule(inner));
  if (!style) return false;
  if (type === RULE_TYPES.page) return selectorText === '' && arePlainPages(style, cssRules);
  if (cssRules?.length) return false;
  const isDrawing = selectorText.split(',').every((selector) => DRAWING.test(selector));
  return type === RULE_TYPES.style && !UNKNOWN_SELECTOR.test(selectorText) && isPlainStyle(style, isDrawing);
}
