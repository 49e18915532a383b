/** Draws text into a canvas, to tell fonts and missing glyphs apart by how they look. */

export type GlyphBrush = ReturnType<typeof makeBrush>;

const SIDE = 48;
/** No font has a glyph for them, so that they look like every missing glyph: an unassigned character and one for private use. */
const WITHOUT_GLYPH = ['\u0378', '\u{10FFFD}'];

export function makeBrush() {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
  const boxes = new Map<string, string[]>();
  /** Returns the pixels of a text. */
  const draw = (font: string, text: string): string => {
    context.clearRect(0, 0, SIDE, SIDE);
    context.font = font;
    context.fillText(text, 4, 36);
    const { data } = context.getImageData(0, 0, SIDE, SIDE);
    let drawn = '';
    for (let at = 3; at < data.length; at += 4) drawn += String.fromCharCode(data[at] as number);
    return drawn;
  };
  /** Whether neither this font nor its fallbacks have a glyph. */
  const lacks = (font: string, character: string): boolean => {
    const drawn = draw(font, character);
    const known = boxes.get(font) ?? WITHOUT_GLYPH.map((each) => draw(font, each));
    boxes.set(font, known);
    return known.includes(drawn) && /[^\0]/.test(drawn);
  };
  return { draw, lacks };
}

const FONT = '32px sans-serif';

/** Finds the scripts for which the browser has fonts. `samples` are a few letters of each script. Without a font for them, each is drawn as the box of an unassigned character. */
export function findDrawnScripts(samples: Record<string, string>): Record<string, boolean> {
  const { draw, lacks } = makeBrush();
  const nothing = draw(FONT, ' ');
  const isDrawn = (sample: string) => [...sample].every((each) => draw(FONT, each) !== nothing && !lacks(FONT, each));
  return Object.fromEntries(Object.entries(samples).map(([script, sample]) => [script, isDrawn(sample)]));
}
