/**
 * Finds characters and families in a document that may lack a font: markup in, candidates to check in the page out. It may return
 * too many, because those that are not in the text of the document are not found in the page.
 */
import { plainCharacters } from '../../in-page/contract/plain-characters.ts';

export interface GlyphCandidates {
  /** Distinct characters that not every font has. */
  characters: Set<string>;
  /** Families that are the first in a list of fonts. */
  families: Set<string>;
}

const MAX_CHARACTERS = 20_000;
const MAX_FAMILIES = 50;
const MAX_MENTIONS = 2_000;
const UNUSUAL = new RegExp(`[^${plainCharacters}]`, 'u');
const REFERENCE = /&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))/gi;
const NAMES_FONTS = /font-family|font\s*:|<font|face\s*=/i;
const FAMILIES = /font-family\s*:\s*([^;,{}<>]{1,200})|face\s*=\s*(?:"([^",]{1,200})|'([^',]{1,200}))/gi;
const SHORTHAND = /font\s{0,10}:([^;{}<>]{1,300})/gi;
/** In the `font` shorthand, the families follow the size. It is matched only with the 300 characters that `SHORTHAND` finds. */
const AFTER_SIZE = /[\d.](?:px|pt|r?em|%|ex|ch|mm|cm|in|pc|q|v[wh])(?:\s{0,5}\/\s{0,5}[\w.%]{1,20})?\s{1,5}([^,]{1,200})/i;
const WORDS_OF_CSS = /^(?:inherit|initial|unset|revert|revert-layer|var\(.*|)$/i;

export function glyphCandidates(html: string): GlyphCandidates {
  return { characters: findUnusualCharacters(html), families: NAMES_FONTS.test(html) ? findNamedFamilies(html) : new Set() };
}

function findUnusualCharacters(html: string): Set<string> {
  const found = new Set<string>();
  if (UNUSUAL.test(html)) collectUnusual(html, found);
  if (!html.includes('&#')) return found;
  for (const [, hex, decimal] of firstMatches(html, REFERENCE, MAX_CHARACTERS)) {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    if (isUnusual(code) && found.size < MAX_CHARACTERS) found.add(String.fromCodePoint(code));
  }
  return found;
}

/** Uses a loop, because millions of regular expression matches would block the event loop. */
function collectUnusual(html: string, found: Set<string>): void {
  const seen = new Uint8Array(0x110000);
  for (let at = 0; at < html.length && found.size < MAX_CHARACTERS; at++) {
    if (html.charCodeAt(at) < 0x250) continue;
    const code = html.codePointAt(at) as number;
    if (code > 0xffff) at++;
    if (seen[code]) continue;
    seen[code] = 1;
    if (isUnusual(code)) found.add(String.fromCodePoint(code));
  }
}

function isUnusual(code: number): boolean {
  return code <= 0x10ffff && UNUSUAL.test(String.fromCodePoint(code));
}

function findNamedFamilies(html: string): Set<string> {
  const found = new Set<string>();
  const note = (names: Array<string | undefined>) => {
    const family = unquote(names.find((name) => name !== undefined) ?? '');
    if (!WORDS_OF_CSS.test(family) && found.size < MAX_FAMILIES) found.add(family);
  };
  for (const [, ...names] of firstMatches(html, FAMILIES, MAX_MENTIONS)) note(names);
  for (const [, value = ''] of firstMatches(html, SHORTHAND, MAX_MENTIONS)) note(AFTER_SIZE.exec(value)?.slice(1) ?? []);
  return found;
}

function* firstMatches(html: string, pattern: RegExp, atMost: number): Generator<RegExpExecArray> {
  let n = 0;
  for (const match of html.matchAll(pattern)) {
    if (n++ >= atMost) return;
    yield match;
  }
}

function unquote(name: string): string {
  return name
    .replace(/&quot;|["']|!important/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
