/** Lists the characters and font families that an active document shows. It may list too many: they are looked for later. */

import { MAX_FAMILIES, MAX_SEEN_CHARACTERS } from '../contract/limits.ts';
import { plainCharacters } from '../contract/plain-characters.ts';
import type { SeenText } from '../contract/questions.ts';
import { elementAround } from '../dom/layout-children.ts';
import { type Root, selectIn, withShadows } from '../dom/roots.ts';
import { allRules, RULE_TYPES } from '../dom/rules.ts';
import { firstFamily, textNodes } from '../dom/text.ts';

/** Elements whose computed font is read. */
const MAX_ELEMENTS = 2_000;

/** `looks` is as for `withShadows`. */
export function seeText(looks: boolean): SeenText {
  try {
    const roots = withShadows(document, looks);
    return { characters: findUnusualCharacters(roots), families: findNamedFamilies(roots) ?? shownFamilies(looks) };
  } catch {
    return { characters: '', families: [] }; // a document that breaks the functions used here is not inspected
  }
}

function findUnusualCharacters(roots: Root[]): string {
  const all = roots.map((root) => ('documentElement' in root ? root.documentElement : root)?.textContent ?? '');
  const text = all.join(''); // includes scripts and styles, whose characters are not found later
  if (!new RegExp(`[^${plainCharacters}]`).test(text)) return '';
  const unusual = new RegExp(`[^${plainCharacters}]`, 'gu');
  const found = new Set<string>();
  for (const [character] of text.matchAll(unusual)) {
    found.add(character);
    if (found.size >= MAX_SEEN_CHARACTERS) break;
  }
  return [...found].join('');
}

/** Returns the families that styles and elements name, which is much faster than `shownFamilies`. Undefined if some are unknown. */
function findNamedFamilies(roots: Root[]): string[] | undefined {
  const families = new Set<string>();
  let areKnown = true;
  const note = (list: string | null | undefined) => {
    if (!list || /^(?:inherit|initial|unset|revert|revert-layer)$/.test(list)) return;
    if (list.includes('var(')) areKnown = false;
    families.add(firstFamily(list));
  };
  try {
    const rules = roots.flatMap((root) =>
      [...root.styleSheets, ...root.adoptedStyleSheets].flatMap((sheet) => [...allRules(sheet)]),
    );
    for (const { type, style } of rules) if (type !== RULE_TYPES.fontFace) note(style?.fontFamily);
  } catch {
    return undefined; // a sheet of another origin cannot be read
  }
  const elements = roots.flatMap((root) => [...selectIn(root, '[style*=font], [face], [font-family]')]);
  for (const element of elements)
    for (const list of [element.style?.fontFamily, element.getAttribute('face'), element.getAttribute('font-family')]) note(list);
  return areKnown && families.size <= MAX_FAMILIES ? [...families] : undefined;
}

/** Returns the first family of each element with text. */
function shownFamilies(looks: boolean): string[] {
  const families = new Set<string>();
  const seen = new Set<Element>();
  for (const text of textNodes(looks)) {
    if (seen.size > MAX_ELEMENTS || families.size >= MAX_FAMILIES) break;
    const parent = elementAround(text);
    if (!parent || seen.has(parent) || !text.data.trim()) continue;
    seen.add(parent);
    families.add(firstFamily(getComputedStyle(parent).fontFamily));
  }
  return [...families];
}
