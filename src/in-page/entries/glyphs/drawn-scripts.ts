/** Finds the scripts for which the browser has fonts. */
import { makeBrush } from './glyph-brush.ts';

const FONT = '32px sans-serif';
/** Unassigned characters, which are drawn as a box, and nothing at all. */
const MISSING = ['\u0378', '\u{10FFFD}', ' '];

/** `samples` are a few letters of each script. Without a font for them, each is drawn as the box of an unassigned character. */
export function findDrawnScripts(samples: Record<string, string>): Record<string, boolean> {
  const { draw } = makeBrush();
  const boxes = new Set(MISSING.map((character) => draw(FONT, character)));
  const isDrawn = (sample: string) => [...sample].every((character) => !boxes.has(draw(FONT, character)));
  return Object.fromEntries(Object.entries(samples).map(([script, sample]) => [script, isDrawn(sample)]));
}
