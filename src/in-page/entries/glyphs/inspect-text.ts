/** Finds characters without a glyph, and families that are not installed. It must run in a world that the document cannot access. */
import { cjkCharacters } from '../../contract/cjk-characters.ts';
import type { InspectedText } from '../../contract/questions.ts';
import { elementAround } from '../../dom/layout-children.ts';
import { firstFamily, textNodes, unquote } from '../../dom/text.ts';
import { displayReader, isHiddenWhole } from '../../dom/visibility.ts';
import { type GlyphBrush, makeBrush } from './glyph-brush.ts';

/** Matches characters that need no glyph of their own: spaces, marks, controls, unassigned ones. */
const NEEDS_NO_GLYPH = /[\p{M}\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Default_Ignorable_Code_Point}]/u;
/** Also Chinese characters, because Chromium remembers the font in which it first draws each, which depends on the language of the text. */
const NOT_YET_DRAWN = new RegExp(`${NEEDS_NO_GLYPH.source}|[${cjkCharacters}]`, 'u');
const MAX_TESTED = 100;
/** Fonts with which each character is tested. */
const MAX_FONTS = 4;
const MAX_SUBSTITUTED = 20;

/** The characters and families that were found in the document. */
interface Surroundings {
  characters: Map<string, { count: number; fonts: Set<string> }>;
  /** The names of families as the document writes them, by name in lower case. */
  families: Map<string, string>;
}

/** Looks for these characters and families in the document. */
export async function inspectText(characters: string[], families: string[]): Promise<InspectedText> {
  const result: InspectedText = { missing: [], covered: [], substituted: [], installed: [] };
  const brush = makeBrush();
  const passed = isHiddenWhole() ? NOT_YET_DRAWN : NEEDS_NO_GLYPH;
  const unknown = new Set(characters.filter((character) => !passed.test(character)));
  const found = lookAround(unknown, new Set(families.map((family) => family.toLowerCase())));
  for (const [character, { count, fonts }] of found.characters) {
    if (!brush.lacks('32px sans-serif', character)) result.covered.push(character);
    else if ([...fonts].some((font) => brush.lacks(font, character))) result.missing.push([character, count]);
  }
  return { ...result, ...(await judgeFamilies(found.families, brush)) };
}

function lookAround(unknown: Set<string>, families: Set<string>): Surroundings {
  const found: Surroundings = { characters: new Map(), families: new Map() };
  const fonts = new Map<Element, string>();
  const isDisplayed = displayReader();
  const readFont = (parent: Element): string => {
    if (!isDisplayed(parent)) return '';
    const { fontFamily, fontWeight, fontStyle } = getComputedStyle(parent);
    const first = firstFamily(fontFamily);
    if (families.has(first.toLowerCase())) found.families.set(first.toLowerCase(), first);
    return `${fontStyle} ${fontWeight} 32px ${fontFamily}`;
  };
  const noteAll = (data: string, font: string) => {
    for (const character of data) if (unknown.has(character)) notePlace(found.characters, character, font);
  };
  for (const text of textNodes(true)) {
    const { data } = text;
    const parent = elementAround(text);
    if (!parent || !data.trim()) continue;
    const font = fonts.get(parent) ?? readFont(parent);
    fonts.set(parent, font);
    if (font && unknown.size) noteAll(data, font);
  }
  return found;
}

function notePlace(places: Surroundings['characters'], character: string, font: string): void {
  const place = places.get(character) ?? { count: 0, fonts: new Set() };
  if (!place.count && places.size >= MAX_TESTED) return;
  place.count++;
  if (place.fonts.size < MAX_FONTS) place.fonts.add(font);
  places.set(character, place);
}

async function judgeFamilies(
  families: Map<string, string>,
  brush: GlyphBrush,
): Promise<Pick<InspectedText, 'substituted' | 'installed'>> {
  const loaded = loadedFamilies();
  const [installed, substituted]: [string[], string[]] = [[], []];
  for (const [key, family] of families) {
    if (!key || loaded.has(key)) continue;
    if (await isInstalled(family, brush)) installed.push(family);
    else if (substituted.length < MAX_SUBSTITUTED) substituted.push(family);
  }
  // The document may have a face that the browser uses for this family although its name is spelled differently.
  return { substituted, installed: document.fonts.size ? [] : installed };
}

function loadedFamilies(): Set<string> {
  const loaded = [...document.fonts].filter(({ status }) => status === 'loaded');
  return new Set(loaded.map(({ family }) => unquote(family).toLowerCase()));
}

async function isInstalled(family: string, { draw }: GlyphBrush): Promise<boolean> {
  // If the family is not installed, the next one in the list is used.
  const sample = (name: string, next: string) => draw(`16px ${quote(name)}, ${next}`, 'Rag1');
  const differs = (next: string) => sample(family, next) !== sample('no such family 7f3a', next);
  if (differs('monospace') || differs('sans-serif')) return true;
  // It may itself be the font that is used for the next one.
  const cuts = ['', ' Regular', ' Book', ' Roman'].map((cut) => `local(${quote(family + cut)})`);
  cuts.push(`local(${quote(`${family.replaceAll(' ', '')}-Regular`)})`);
  return await new FontFace('probe', cuts.join()).load().then(
    () => true,
    () => false,
  );
}

function quote(name: string): string {
  return `"${name.replace(/["\\]/g, '\\$&')}"`;
}
