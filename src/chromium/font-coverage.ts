/** Determines for which scripts a browser has fonts: a browser in, a boolean for each script out. */
import { Type } from 'typebox';
import { OPTIONAL_SCRIPTS } from '../fonts/optional-fonts.ts';
import type { Browser } from './browser.ts';
import { ask } from './devtools/ask.ts';
import { shape } from './devtools/evaluate.ts';

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
  const drawn = await ask(session, 'findDrawnScripts', [SAMPLES], shape(Type.Record(Type.String(), Type.Boolean())));
  await browser.connection.browser.send('Target.disposeBrowserContext', { browserContextId });
  return drawn;
}
