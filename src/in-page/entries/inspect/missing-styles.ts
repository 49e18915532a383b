/**
 * Notes images, fonts and imported sheets that styles name and that could not be loaded. The network monitor reports failed requests, and
 * this finds what was never requested.
 */
import { elementSelector } from '../../contract/element-selector.ts';
import { selectIn } from '../../dom/roots.ts';
import { RULE_TYPES } from '../../dom/rules.ts';
import { noteFonts } from './missing-fonts.ts';
import { allRules, findUrls, type PlacedRule } from './placed-rules.ts';
import { findUrlFault, type Note, noteUndecodable, type Place } from './places.ts';

/** URLs for which elements are looked for. */
const MAX_NAMES = 300;
/** Elements that are checked for each rule, or anywhere if it sets a variable. */
const MAX_ELEMENTS = 50;
const MAX_ANYWHERE = 2_000;
const IMAGE_PROPERTIES = [
  'background-image',
  'list-style-image',
  'content',
  'border-image-source',
  'mask-image',
  'filter',
  'clip-path',
];

interface NamedUrl {
  url: string;
  base: string;
  isWanted(): boolean;
}

export async function noteStyles(place: Place, note: Note, maxImages: number): Promise<void> {
  const rules = allRules(place);
  for (const { rule, base } of rules)
    if (rule.href !== undefined && rule.styleSheet === null) note(rule.href, findUrlFault(rule.href, base) ?? 'failed');
  const named = [...namedByRules(place, rules), ...namedByElements(place)];
  const embedded = noteNamed(named, note, maxImages);
  const faces = rules.filter(({ rule }) => rule.type === RULE_TYPES.fontFace);
  noteFonts(place, faces, note);
  await noteUndecodable(embedded, note);
}

/** Notes URLs that cannot be loaded, and returns the images in `data:` URLs. */
function noteNamed(named: NamedUrl[], note: Note, maxImages: number): Set<string> {
  const embedded = new Set<string>();
  let left = MAX_NAMES;
  for (const { url, base, isWanted } of named) {
    const reason = findUrlFault(url, base);
    const isImage = /^data:/i.test(url) && embedded.size < maxImages;
    if ((!reason && !isImage) || left-- <= 0 || !isWanted()) continue;
    if (reason) note(url.replace(/\\(.)/g, '$1'), reason);
    else embedded.add(url);
  }
  return embedded;
}

function* namedByRules(place: Place, rules: PlacedRule[]): Generator<NamedUrl> {
  for (const placed of rules)
    for (const url of placed.rule.type === RULE_TYPES.fontFace ? [] : findUrls(placed.rule.style?.cssText ?? ''))
      yield { url, base: placed.base, isWanted: () => isWantedBy(place, placed, url) };
}

/** Returns the URLs in style attributes and legacy attributes of elements. */
function* namedByElements({ root }: Place): Generator<NamedUrl> {
  for (const element of selectIn(root, '[style*="url("], [background]')) {
    const base = root.baseURI;
    const url = element.getAttribute('background');
    if (url) yield { url, base, isWanted: () => element.checkVisibility() };
    for (const each of findUrls(element.style?.cssText ?? ''))
      yield { url: each, base, isWanted: () => showsImage(element, each) };
  }
}

/** Whether the document has an element for which a rule loads the URL. */
function isWantedBy({ page, root }: Place, { rule, around }: PlacedRule, url: string): boolean {
  if (rule.type !== RULE_TYPES.style) return rule.type === RULE_TYPES.page;
  const declarations = (rule.style?.cssText ?? '').split(';');
  const isVariable = declarations.some((each) => each.trimStart().startsWith('--') && each.includes('url('));
  const selector = isVariable ? '*' : elementSelector(rule.selectorText ?? '', around);
  try {
    if (root !== page && /:host/.test(selector)) return showsImage((root as ShadowRoot).host, url);
    const elements = [...selectIn(root, selector)].slice(0, isVariable ? MAX_ANYWHERE : MAX_ELEMENTS);
    return elements.some((element) => showsImage(element, url));
  } catch {
    return false; // the selector does not select elements
  }
}

/** Whether an element or its generated content shows the image. */
function showsImage(element: Element, url: string): boolean {
  if (!element.checkVisibility()) return false;
  return [undefined, '::before', '::after', '::marker'].some((pseudo) => {
    const style = getComputedStyle(element, pseudo);
    return IMAGE_PROPERTIES.some((property) => style.getPropertyValue(property).includes(url));
  });
}
