/**
 * Loads the fonts of headers and footers. Chromium does not wait for them, but uses those that the process of the page has in its
 * memory already, as it has while another document holds the same `data:` URL. The functions below are sent as text and run in the
 * page, so that they may use only each other.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import type { Session } from '../devtools/connection.ts';
import { ANYTHING, evaluate, type Shape, shape } from '../devtools/evaluate.ts';
import type { Step } from '../devtools/step.ts';

export const FONT_FUNCTIONS = [facesIn, facesOf, faceOf];

const WORLD = 'platen-templates';
const PAUSE_MS = 3;
/** Not a list as long as a font is loading. */
const FAILED_FAMILIES = shape(Type.Union([Type.Array(Type.String()), Type.Null(), Type.Undefined()]));

/** Whether the markup may have fonts of its own. */
export function mayHaveFonts(markup: string): boolean {
  return /@font-face/i.test(markup);
}

/** Loads the fonts into the memory of the page, until the document ends. Returns the families that could not be loaded. */
export async function loadFonts(session: Session, frameId: string, templates: string[], step: Step): Promise<string[]> {
  // The isolated world has its own built-ins. Without scripts a promise would never settle in it, so that the state is polled.
  const { executionContextId: contextId } = await step(session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD }));
  const ask = <T>(expression: string, expected: Shape<T>) =>
    step(evaluate(session, { expression, contextId, awaitPromise: false }, expected));
  await ask(`(() => { ${FONT_FUNCTIONS.join(' ')}; ${hold}; hold(${JSON.stringify(templates)}) })()`, ANYTHING);
  for (;;) {
    const failed = await ask(`(${failedFamilies})()`, FAILED_FAMILIES);
    if (Array.isArray(failed)) return failed;
    await step(sleep(PAUSE_MS));
  }
}

// Typed loosely: this project's code runs in Node and has no DOM types.
interface Rule {
  type: number;
  cssRules?: Iterable<Rule>;
  style?: { getPropertyValue(name: string): string };
}
export interface Face {
  family: string;
  status: string;
  load(): Promise<unknown>;
}
declare const FontFace: new (family: string, source: string, descriptors: object) => Face;
declare const CSSStyleSheet: new () => { cssRules: Iterable<Rule>; replaceSync(css: string): void };
declare const document: {
  createElement(name: 'template'): {
    innerHTML: string;
    content: { querySelectorAll(selector: 'style'): Iterable<{ textContent: string }> };
  };
};

/** The fonts that the styles of the markup declare as `data:` URLs. */
export function facesIn(markup: string): Face[] {
  const box = document.createElement('template');
  box.innerHTML = markup;
  return [...box.content.querySelectorAll('style')].flatMap(({ textContent }) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(textContent);
    return facesOf(sheet.cssRules);
  });
}

function facesOf(rules: Iterable<Rule>): Face[] {
  return [...rules].flatMap((rule) => (rule.type === 5 ? faceOf(rule) : rule.cssRules ? facesOf(rule.cssRules) : []));
}

function faceOf({ style }: Rule): Face[] {
  const get = (name: string) => style?.getPropertyValue(name) ?? '';
  if (!/data:/i.test(get('src'))) return [];
  const names = {
    ...{ weight: 'font-weight', style: 'font-style', stretch: 'font-stretch', unicodeRange: 'unicode-range' },
    ...{ sizeAdjust: 'size-adjust', ascentOverride: 'ascent-override', descentOverride: 'descent-override' },
    lineGapOverride: 'line-gap-override',
  };
  const stated = Object.entries(names).filter(([, name]) => get(name));
  const descriptors = Object.fromEntries(stated.map(([descriptor, name]) => [descriptor, get(name)]));
  return [new FontFace(get('font-family').replace(/^["']|["']$/g, ''), get('src'), descriptors)];
}

function hold(templates: string[]): void {
  const faces = templates.flatMap(facesIn);
  (globalThis as unknown as { held: Face[] }).held = faces;
  for (const face of faces) face.load().catch(() => {});
}

/** Returns nothing while fonts are loading. */
function failedFamilies(): string[] | undefined {
  const { held } = globalThis as unknown as { held: Face[] };
  if (held.some(({ status }) => status === 'loading')) return undefined;
  return held.filter(({ status }) => status === 'error').map(({ family }) => family.replace(/^["']|["']$/g, ''));
}
