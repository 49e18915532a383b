/**
 * What in a document may lack a font, as far as its markup tells: markup in, characters and families to look at out.
 * It errs on the side of looking: what is not text of the document after all is not found in the page.
 */
import { plainCharacters } from './inspect-text.ts';

export interface TextOfInterest {
  /** Distinct characters that not every font has. */
  characters: Set<string>;
  /** Names the document gives first in a list of fonts. */
  families: Set<string>;
}

const MAX_CHARACTERS = 20_000;
const MAX_FAMILIES = 50;
const UNUSUAL = new RegExp(`[^${plainCharacters}]`);
const UNUSUAL_ALL = new RegExp(`[^${plainCharacters}]`, 'gu');
const REFERENCE = /&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))/gi;
const NAMES_FONTS = /font-family|font\s*:|<font|face\s*=/i;
const FAMILIES = /font-family\s*:\s*([^;,{}<>]{1,200})|face\s*=\s*(?:"([^",]{1,200})|'([^',]{1,200}))/gi;
/** In a shorthand the families come after the size. */
const SHORTHAND =
  /font\s*:[^;{}<>]{0,100}?[\d.](?:px|pt|r?em|%|ex|ch|mm|cm|in|pc|q|v[wh])(?:\s*\/\s*[\w.%]+)?\s+([^;,{}<>]{1,200})/gi;
const WORDS_OF_CSS = /^(?:inherit|initial|unset|revert|revert-layer|var\(.*|)$/i;

export function textOfInterest(html: string): TextOfInterest {
  return { characters: unusualCharacters(html), families: NAMES_FONTS.test(html) ? namedFamilies(html) : new Set() };
}

function unusualCharacters(html: string): Set<string> {
  const found = new Set<string>();
  if (UNUSUAL.test(html)) for (const [character] of html.matchAll(UNUSUAL_ALL)) addTo(found, character);
  if (!html.includes('&#')) return found;
  for (const [, hex, decimal] of html.matchAll(REFERENCE)) {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : '';
    if (UNUSUAL.test(character)) addTo(found, character);
  }
  return found;
}

function addTo(found: Set<string>, character: string): void {
  if (found.size < MAX_CHARACTERS) found.add(character);
}

function namedFamilies(html: string): Set<string> {
  const found = new Set<string>();
  for (const pattern of [FAMILIES, SHORTHAND]) {
    for (const [, ...names] of html.matchAll(pattern)) {
      const family = unquoted(names.find((name) => name !== undefined) ?? '');
      if (!WORDS_OF_CSS.test(family) && found.size < MAX_FAMILIES) found.add(family);
    }
  }
  return found;
}

function unquoted(name: string): string {
  return name
    .replace(/&quot;|["']|!important/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
