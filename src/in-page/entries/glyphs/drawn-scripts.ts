/** Finds the scripts for which the browser has fonts. */
import { makeBrush } from './glyph-brush.ts';

const FONT = '32px sans-serif';

/** `samples` are a few letters of each script. Without a font for them, each is drawn as the box of an unassigned character. */
export function findDrawnScripts(samples: Record<string, string>): Record<string, boolean> {
  const { draw, lacks } = makeBrush();
  const nothing = draw(FONT, ' ');
  const isDrawn = (sample: string) => [...sample].every((each) => draw(FONT, each) !== nothing && !lacks(FONT, each));
  return Object.fromEntries(Object.entries(samples).map(([script, sample]) => [script, isDrawn(sample)]));
}
