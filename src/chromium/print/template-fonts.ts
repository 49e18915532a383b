/**
 * Loads the fonts of headers and footers. Chromium does not wait for them, but uses those that the process of the page has in its
 * memory already, as it has while another document holds the same `data:` URL.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { ask, createIsolatedWorld, DONE } from '../devtools/ask.ts';
import type { Session } from '../devtools/connection.ts';
import { shape } from '../devtools/evaluate.ts';
import type { Step } from '../devtools/step.ts';

const PAUSE_MS = 3;
/** Null as long as a font is loading. */
const FAILED_FAMILIES = shape(Type.Union([Type.Array(Type.String()), Type.Null()]));

/** Loads the fonts into the memory of the page, until the document ends. Returns the families that could not be loaded. */
export async function loadFonts(session: Session, frameId: string, templates: string[], step: Step): Promise<string[]> {
  // An isolated world has its own built-ins. Without scripts a promise would never settle in it, so that the state is polled.
  const world = { contextId: await step(createIsolatedWorld(session, frameId)), awaitPromise: false };
  await step(ask(session, 'holdTemplateFonts', [templates], DONE, world));
  for (;;) {
    const failed = await step(ask(session, 'findFailedFonts', [], FAILED_FAMILIES, world));
    if (failed) return failed;
    await step(sleep(PAUSE_MS));
  }
}
