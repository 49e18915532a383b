/**
 * Finds CSS that Chromium ignores, or parses without effect: the text of a style sheet in, features out. It reads the text, because
 * unknown CSS is not among the parsed rules. See docs/decisions/0033-what-a-report-tells.md.
 */
import { type Declaration, isOfPage, readDeclarations } from '../../page-css/css-statements.ts';
import { limitsFootnotes } from '../../page-css/footnote-rules.ts';
import { isUnknownSize, toLengths } from '../../print/page-sizes.ts';

export interface UnsupportedCss {
  property: string;
  /** The value as it is written. */
  value: string;
  /** The URL of the style sheet, or `style` for one in the document. */
  where: string;
  /** What Chromium does with it. Absent if that is nothing. */
  effect?: string | undefined;
  /** A further explanation. */
  why?: string | undefined;
  /** The first element to which it applies. */
  element?: string | undefined;
}

/** The text of a style sheet. */
export interface StyleText {
  text: string;
  where: string;
  /** Whether it belongs to a shadow root or a frame, where rules for pages have no effect in any browser. */
  isScoped?: boolean;
}

const MAX_SHOWN = 100;

/** Returns the part of a declaration that has no effect, in the form in which it is reported. */
type Feature = (declaration: Declaration) => string | undefined;

const FEATURES: Record<string, Feature> = {
  'height of footnotes': (declaration) => (limitsFootnotes(declaration) ? declaration.value : undefined),
  'image-resolution': inValue(/^image-resolution$/, /./),
  cmyk: call(/./, 'device-cmyk'),
  hyphens: inValue(/^hyphens$/, /^auto\b/i),
  marks: ofPage(inValue(/^marks$/, /^(?!none)/)),
  bleed: ofPage(inValue(/^bleed$/, /^(?!auto|0[a-z]*$)/i)),
  size: ofPage(inValue(/^size$/, { test: isUnknownSize })),
};

/**
 * Returns the first use of each feature. It includes `hyphens: auto`, because the text does not tell whether there is a
 * dictionary.
 */
export function findUnsupportedCss(texts: readonly StyleText[]): UnsupportedCss[] {
  const found = new Map<string, UnsupportedCss>();
  for (const { text, where, isScoped } of texts)
    for (const declaration of readDeclarations(text))
      if (!isScoped || !isOfPage(declaration)) noteFeatures(declaration, where, found);
  return [...found.values()].map((each) => ({
    ...each,
    ...(Object.hasOwn(REMEDIES, each.property) && { why: REMEDIES[each.property]?.(each.value) }),
  }));
}

function noteFeatures(declaration: Declaration, where: string, found: Map<string, UnsupportedCss>): void {
  for (const [name, feature] of Object.entries(FEATURES)) {
    const value = found.has(name) ? undefined : feature(declaration);
    if (value !== undefined) found.set(name, { property: declaration.property || '@page', value: shown(value), where });
  }
}

function inValue(name: RegExp, wanted: { test(value: string): boolean }): Feature {
  return ({ property, value }) => (name.test(property) && wanted.test(value) ? value : undefined);
}

/** Finds a function in a value, and returns only the function. */
function call(name: RegExp, called: string): Feature {
  const pattern = new RegExp(`(?<![\\w-])${called}\\((?:[^()]|\\([^()]*\\))*\\)?`, 'i');
  return ({ property, value }) => (name.test(property) ? pattern.exec(value)?.[0] : undefined);
}

function ofPage(feature: Feature): Feature {
  return (declaration) => (isOfPage(declaration) ? feature(declaration) : undefined);
}

const FOR_ALL_PAGES = 'Platen adds it by a rule for all pages, of a bleed up to 2in, in style sheets that can be read';

const REMEDIES: Record<string, (value: string) => string> = {
  size: describeRemedy,
  marks: () => FOR_ALL_PAGES,
  bleed: () => FOR_ALL_PAGES,
};

function describeRemedy(size: string): string {
  const lengths = toLengths(size);
  return lengths
    ? `it does not know this size, which was declared as ${lengths} instead`
    : 'it does not know this size; write two lengths instead';
}

export function shown(value: string): string {
  return value.replace(/\s+/g, ' ').trim().slice(0, MAX_SHOWN);
}
