/** Lists the characters and font families that an active document shows. It may list too many: they are looked for later. */

import { MAX_FAMILIES, MAX_SEEN_CHARACTERS } from '../contract/limits.ts';
import { plainCharacters } from '../contract/plain-characters.ts';
import type { SeenText } from '../contract/questions.ts';
import { elementAround } from '../dom/layout-children.ts';
import { type Root, withShadows } from '../dom/roots.ts';
import { firstFamily, textNodes } from '../dom/text.ts';

/** Elements whose computed font is read, which takes 0.5 ms for a thousand. */
const MAX_ELEMENTS = 10_000;

/** `looks` is as for `withShadows`. */
export function seeText(looks: boolean): SeenText {
  try {
    const roots = withShadows(document, looks);
    return { characters: findUnusualCharacters(roots), families: findFamilies(looks) };
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

/** Returns the first family of each element with text. */
function findFamilies(looks: boolean): string[] {
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
