/** Determines for which scripts a browser has fonts: a browser in, a boolean for each script out. */
import { Type } from 'typebox';
import { OPTIONAL_SCRIPTS } from '../fonts/optional-fonts.ts';
import type { Browser } from './browser.ts';
import { evaluate, shape } from './devtools/evaluate.ts';

/** A few letters of each script. Without a font for them, each is drawn as the box of an unassigned character. */
const SAMPLES: Record<string, string> = {
  Latin: 'Aßé',
  Cyrillic: 'Жяы',
  Greek: 'Ωψλ',
  CJK: '漢字가ひ',
  Arabic: 'شعق',
  Hebrew: 'אבש',
  Devanagari: 'कखग',
  Thai: 'กขฃ',
  Emoji: '😀🚀',
  Symbols: '☐☒→₹∑',
  ...OPTIONAL_SCRIPTS,
};

export async function fontCoverage(browser: Browser): Promise<Record<string, boolean>> {
  const { browserContextId } = await browser.connection.browser.send('Target.createBrowserContext');
  const { targetId } = await browser.connection.browser.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await browser.connection.browser.send('Target.attachToTarget', { targetId, flatten: true });
  const session = browser.connection.openSession(sessionId);
  const expression = `(${drawnScripts})(${JSON.stringify(SAMPLES)})`;
  const drawn = await evaluate(session, { expression }, shape(Type.Record(Type.String(), Type.Boolean())));
  await browser.connection.browser.send('Target.disposeBrowserContext', { browserContextId });
  return drawn;
}

declare const document: { createElement(name: 'canvas'): Canvas };
interface Canvas {
  width: number;
  height: number;
  getContext(kind: '2d'): { font: string; fillText(text: string, x: number, y: number): void } | null;
  toDataURL(): string;
}

/** Runs in the page. */
function drawnScripts(samples: Record<string, string>): Record<string, boolean> {
  const draw = (character: string) => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 48;
    const context = canvas.getContext('2d');
    if (context) context.font = '32px sans-serif';
    context?.fillText(character, 4, 36);
    return canvas.toDataURL();
  };
  const boxes = new Set(['\u0378', '\u{10FFFD}', ' '].map(draw));
  const drawn: Record<string, boolean> = {};
  for (const [script, sample] of Object.entries(samples))
    drawn[script] = [...sample].every((character) => !boxes.has(draw(character)));
  return drawn;
}
