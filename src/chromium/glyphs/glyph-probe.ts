/**
 * Finds characters without a glyph and families that are not installed. The functions below run in the page, sent as text, so they
 * may use only each other.
 */

import { type Static, Type } from 'typebox';
import { shape } from '../devtools/evaluate.ts';
import { FRAMES, type selectIn as SelectIn, type withShadows as WithShadows } from '../in-page/page-frames.ts';

/** Matches characters that need no glyph of their own: spaces, marks, controls, unassigned ones. */
const WITHOUT_GLYPH = '[\\p{M}\\p{Z}\\p{Cc}\\p{Cf}\\p{Cs}\\p{Cn}\\p{Default_Ignorable_Code_Point}]';
const GENERIC = [
  ...['serif', 'sans-serif', 'monospace', 'cursive', 'fantasy', 'math', 'emoji', 'fangsong', 'generic', '-apple-system'],
  ...['system-ui', 'ui-serif', 'ui-sans-serif', 'ui-monospace', 'ui-rounded', 'blinkmacsystemfont', '-webkit-body'],
];
const MAX_FAMILIES = 50;
const MAX_TEXTS = 200_000;
const MAX_TESTED = 100;

/** The result of a check. */
const InspectedText = Type.Object({
  /** Characters for which no font has a glyph, and how often they occur. */
  missing: Type.Array(Type.Tuple([Type.String(), Type.Integer({ minimum: 0 })])),
  /** Characters for which the system's fonts have a glyph. */
  covered: Type.Array(Type.String()),
  /** Families that another font replaces, as the document writes them. */
  substituted: Type.Array(Type.String()),
  installed: Type.Array(Type.String()),
});
export type InspectedText = Static<typeof InspectedText>;
export const INSPECTED_TEXT = shape(InspectedText);

/** Evaluates to a promise of `InspectedText`. Must be evaluated in an isolated world, which the document cannot access. */
export function inspectExpression(characters: string[], families: string[]): string {
  const wanted = { characters, families: families.slice(0, MAX_FAMILIES), generic: GENERIC };
  const limits = { texts: MAX_TEXTS, tested: MAX_TESTED };
  const functions = [
    ...FRAMES,
    texts,
    parentOf,
    firstFamily,
    quote,
    makeBrush,
    notePlace,
    lookAround,
    loadedFaces,
    isInstalled,
    judgeFamilies,
    inspectText,
  ].join('\n');
  return `(() => { ${functions}
    return inspectText(${JSON.stringify(wanted)}, ${JSON.stringify(WITHOUT_GLYPH)}, ${JSON.stringify(limits)}) })()`;
}

interface Wanted {
  characters: string[];
  families: string[];
  generic: string[];
}

/** The characters and families that were found in the document. */
interface Surroundings {
  characters: Map<string, { count: number; fonts: Set<string> }>;
  /** The names of families as the document writes them, by name in lower case. */
  families: Map<string, string>;
}

interface Brush {
  draw(font: string, text: string): string;
  /** Whether neither this font nor its fallbacks have a glyph. */
  lacks(font: string, character: string): boolean;
}

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageText {
  data: string;
  parentElement: PageElement | null;
  parentNode: { host?: PageElement } | null;
}
interface PageElement {
  checkVisibility(): boolean;
}
interface Canvas {
  width: number;
  height: number;
  getContext(
    kind: '2d',
    options: object,
  ): {
    font: string;
    clearRect(x: number, y: number, width: number, height: number): void;
    fillText(text: string, x: number, y: number): void;
    getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
  };
}
interface PageSheet {
  cssRules: Iterable<PageRule> & { length: number };
}
interface PageRule extends Partial<PageSheet> {
  style?: { fontFamily?: string };
  styleSheet?: PageSheet | null;
}
interface Face {
  family: string;
  status: string;
}
declare const selectIn: typeof SelectIn;
declare const withShadows: typeof WithShadows;
declare const document: {
  createTreeWalker(root: unknown, what: number): { nextNode(): PageText | null };
  createElement(name: 'canvas'): Canvas;
  documentElement: { textContent: string } | null;
  fonts: Iterable<Face>;
};
declare const getComputedStyle: (element: PageElement) => { fontFamily: string; fontWeight: string; fontStyle: string };
declare const FontFace: new (family: string, source: string) => { load(): Promise<unknown> };

function firstFamily(list: string): string {
  const [, quoted, bare] = /^\s*(?:"([^"]{0,200})"|([^,"]{0,200}))/.exec(list) ?? [];
  return (quoted ?? bare ?? '').trim();
}

function* texts(atMost: number, looks: boolean): Generator<PageText> {
  let n = 0;
  for (const root of withShadows<object>(document, looks)) {
    const walker = document.createTreeWalker(root, 4);
    for (let text = walker.nextNode(); text && n < atMost; text = walker.nextNode(), n++) yield text;
  }
}

function parentOf({ parentElement, parentNode }: PageText): PageElement | null {
  return parentElement ?? parentNode?.host ?? null;
}

function makeBrush(): Brush {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 48;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const boxes = new Map<string, string[]>();
  const draw = (font: string, text: string): string => {
    context.clearRect(0, 0, 48, 48);
    context.font = font;
    context.fillText(text, 4, 36);
    const { data } = context.getImageData(0, 0, 48, 48);
    let drawn = '';
    for (let at = 3; at < data.length; at += 4) drawn += String.fromCharCode(data[at] as number);
    return drawn;
  };
  const boxesOf = (font: string): string[] => {
    const known = boxes.get(font) ?? [draw(font, '\u0378'), draw(font, '\u{10FFFD}')];
    boxes.set(font, known);
    return known;
  };
  const lacks = (font: string, character: string): boolean => {
    const drawn = draw(font, character);
    return boxesOf(font).includes(drawn) && /[^\0]/.test(drawn);
  };
  return { draw, lacks };
}

function notePlace(places: Surroundings['characters'], character: string, font: string, atMost: number): void {
  const place = places.get(character) ?? { count: 0, fonts: new Set() };
  if (!place.count && places.size >= atMost) return;
  place.count++;
  if (place.fonts.size < 4) place.fonts.add(font);
  places.set(character, place);
}

function lookAround(unknown: Set<string>, families: Set<string>, limits: { texts: number; tested: number }): Surroundings {
  const found: Surroundings = { characters: new Map(), families: new Map() };
  const fontOf = new Map<PageElement, string>();
  const look = (parent: PageElement): string => {
    if (!parent.checkVisibility()) return '';
    const { fontFamily, fontWeight, fontStyle } = getComputedStyle(parent);
    const first = firstFamily(fontFamily);
    if (families.has(first.toLowerCase())) found.families.set(first.toLowerCase(), first);
    return `${fontStyle} ${fontWeight} 32px ${fontFamily}`;
  };
  const noteAll = (data: string, font: string) => {
    for (const character of data) if (unknown.has(character)) notePlace(found.characters, character, font, limits.tested);
  };
  for (const text of texts(limits.texts, true)) {
    const { data } = text;
    const parent = parentOf(text);
    if (!parent || !data.trim()) continue;
    const font = fontOf.get(parent) ?? look(parent);
    fontOf.set(parent, font);
    if (font && unknown.size) noteAll(data, font);
  }
  return found;
}

function quote(name: string): string {
  return `"${name.replace(/["\\]/g, '\\$&')}"`;
}

function loadedFaces(): Set<string> {
  const loaded = [...document.fonts].filter(({ status }) => status === 'loaded');
  return new Set(loaded.map(({ family }) => family.replace(/^["']|["']$/g, '').toLowerCase()));
}

async function isInstalled(family: string, { draw }: Brush): Promise<boolean> {
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

async function judgeFamilies(families: Map<string, string>, generic: string[], brush: Brush, result: InspectedText) {
  const loaded = loadedFaces();
  const found: string[] = [];
  for (const [key, family] of families) {
    if (loaded.has(key)) continue;
    if (!key) continue;
    if (generic.includes(key) || (await isInstalled(family, brush))) found.push(family);
    else if (result.substituted.length < 20) result.substituted.push(family);
  }
  // The document may have a face that the browser uses for this family although its name is spelled differently.
  if (![...document.fonts].length) result.installed = found;
}

async function inspectText(
  { characters, families, generic }: Wanted,
  withoutGlyph: string,
  limits: { texts: number; tested: number },
): Promise<InspectedText> {
  const result: InspectedText = { missing: [], covered: [], substituted: [], installed: [] };
  const brush = makeBrush();
  const skipped = new RegExp(withoutGlyph, 'u');
  const unknown = new Set(characters.filter((character) => !skipped.test(character)));
  const found = lookAround(unknown, new Set(families.map((family) => family.toLowerCase())), limits);
  for (const [character, { count, fonts }] of found.characters) {
    if (!brush.lacks('32px sans-serif', character)) result.covered.push(character);
    else if ([...fonts].some((font) => brush.lacks(font, character))) result.missing.push([character, count]);
  }
  await judgeFamilies(found.families, generic, brush, result);
  return result;
}
