/** Reads the rules of the style sheets of a document or a shadow root that apply, with the URLs that they name. */
import { elementSelector } from '../../contract/element-selector.ts';
import { read } from '../../dom/nodes.ts';
import { type AnyRule, listRules, openRules, RULE_TYPES } from '../../dom/rules.ts';
import type { Place } from './places.ts';

/** A rule with its enclosing selectors and its base URL. */
export interface PlacedRule {
  rule: AnyRule;
  around: string;
  base: string;
}

/** Returns the rules of all style sheets that can be read. */
export function allRules(place: Place): PlacedRule[] {
  return [...place.root.styleSheets, ...place.root.adoptedStyleSheets]
    .filter((sheet) => appliesMedia(place, sheet.media) && mayName(sheet))
    .flatMap((sheet) => [...rulesOfSheet(place, sheet)]);
}

/** Returns URLs as they are written in `url()`. */
export function findUrls(css: string): string[] {
  if (!css.includes('url(')) return [];
  const found = css.matchAll(/url\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^"')\s]*))/gi);
  return [...found]
    .map(([, double, single, bare]) => double ?? single ?? bare ?? '')
    .filter((url) => url && !url.startsWith('#'));
}

function appliesMedia({ page }: Place, media: MediaList | undefined): boolean {
  return !media?.mediaText || read(page, 'defaultView')?.matchMedia(media.mediaText).matches !== false;
}

/** A style element without text has rules that a script has added. */
function mayName({ ownerNode }: CSSStyleSheet): boolean {
  const text = ownerNode?.textContent ?? '';
  return !text.trim() || /url\(|@import|@font/i.test(text);
}

function* rulesOfSheet(place: Place, sheet: CSSStyleSheet, around = '', rules = openRules(sheet)): Generator<PlacedRule> {
  const base = sheet.href ?? place.root.baseURI;
  for (const rule of rules) {
    if (!appliesMedia(place, rule.media)) continue;
    yield { rule, around, base };
    const { styleSheet, cssRules } = rule;
    const inner = rule.type === RULE_TYPES.style ? elementSelector(rule.selectorText ?? '', around) : around;
    if (styleSheet) yield* rulesOfSheet(place, styleSheet);
    else if (cssRules) yield* rulesOfSheet(place, sheet, inner, listRules({ cssRules }));
  }
}
