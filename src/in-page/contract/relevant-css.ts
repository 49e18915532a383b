/** Matches what any of the expressions matches, in upper and lower case. */
function oneOf(...expressions: RegExp[]): RegExp {
  return new RegExp(expressions.map(({ source }) => source).join('|'), 'i');
}

/** Pictures behind pages and in margin boxes. The parts of two rules, or of two declarations, are not looked at twice. */
const PAGE_PICTURES =
  /@page\b(?:(?!@page)[\s\S]){0,400}?(?:background|content)(?:(?!background|content)[^;{}]){0,200}?(?:gradient|url|image-set)\(/;

/** What Chromium knows by another name: forced breaks, and margin boxes. */
const OTHER_NAMES = /(?<!page-)break-(?:before|after)\s*:\s*al(?:l|ways)\b|@(?:top|bottom)\s*\{/;

/** Boxes that would be printed where they stick to a window. */
export const STICKY = /position\s*:\s*(?:-webkit-)?sticky/i;

/** How many lines of a paragraph stay together. */
export const KEPT_LINES = /(?<![\w-])(?:orphans|widows)\s*:/i;

/** Matches the text of style sheets that may depend on the pages of their document, or on its words. */
export const PAGED_CSS = oneOf(
  /footnote|target-(?:counter|text)|(?<![\w-])(?:leader|running|element|string)\(|string-set|bookmark-[ls]|:(?:nth\(|blank)|hyphens\s*:\s*auto|(?<![\w-])(?:marks|bleed)\s*:|break-(?:before|after)\s*:\s*(?:left|right|recto|verso)|counter-(?:reset|set|increment)\s*:[^;{}]{0,80}\bpage\b|(?<![\w-])size\s*:[^;{}]{0,40}\bauto\b/,
  PAGE_PICTURES,
  OTHER_NAMES,
  STICKY,
);

/** Matches the text of style sheets that must be inspected, because Chromium may ignore a part of it or apply it in its own way. */
export const INSPECTED_CSS = oneOf(
  /footnote|target-(?:counter|text)|(?<![\w-])(?:leader|running|element|string)\(|string-set|bookmark-[ls]|image-resolution|:nth\(|hyphens\s*:\s*auto|device-cmyk/,
  /(?<![\w-])(?:marks|bleed)\s*:|(?<![\w-])size\s*:(?!\s{0,9}[1-9][\d.]{0,8}[a-z]{2}\s{1,9}[1-9][\d.]{0,8}[a-z]{2}\s{0,9}[;}])/,
  PAGE_PICTURES,
  OTHER_NAMES,
  STICKY,
  KEPT_LINES,
  /@page\b(?!\s{0,9}(?:[\w-]{1,40}|:(?:first|left|right|blank))?\s{0,9}\{)/,
  /float\s*:\s*(?:top|bottom|page|column|inside|outside|snap|block)|break-(?:before|after)\s*:\s*(?:left|right|recto|verso)/,
  /counter-(?:reset|set|increment)\s*:[^;{}]{0,80}\bpage\b|counters?\(\s*(?!pages?\s*[,)])|:(?:before|after|marker)\s*\{[^{}]{0,200}counters?\(/,
  /(?<!-)(?:-webkit-)?filter\s*[:=]|box-reflect|3d\(|perspective\(|rotate[xy]\(/,
);

/** Also matches text that decides what the inspected style sheets do. */
export const RELEVANT_CSS = new RegExp(
  `${INSPECTED_CSS.source}|counter(?:s?\\(|-(?:reset|set|increment))|(?<![\\w@-])page\\s*:|@page\\b`,
  'i',
);
