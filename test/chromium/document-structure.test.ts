/** Reading the structure of a document restores the document, even if the read times out. */
import { expect, test } from 'vitest';
import { readDocumentStructure } from '../../src/chromium/load/structure/document-structure.ts';
import type { Deadline } from '../../src/deadline.ts';
import { startBareBrowser } from '../support/bare-browser.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { Tab } from '../support/tab.ts';

const bare = await startBareBrowser().then(closeAfterAll);

// These rules are slow only for drawings that have a role, because selectors are matched from right to left.
const RULES = Array.from({ length: 12 }, (_, n) => `svg:not(svg, .c${n}) ~ svg[role="img"] { color: red }`);
const DRAWINGS = '<svg aria-label="Dot" role="group"><rect/></svg><svg aria-label="Dot"><rect/></svg>'.repeat(1_000);

test.each([
  ['without scripts', false],
  ['with scripts', true],
])('leaves the roles of drawings unchanged in a document %s', async (_, runsScripts) => {
  await using tab = await Tab.open(bare.browser);
  await tab.load(`<style>${RULES.join('')}</style>${DRAWINGS}`);
  const deadline = { remainingMs: 400 } as Deadline; // a quarter of it may be spent on reading
  const reader = { step: <T>(work: Promise<T>) => work, deadline, runsScripts };
  const structure = await readDocumentStructure(tab.session, runsScripts ? tab.frameId : undefined, reader, 'wanted');
  expect(structure).toBeUndefined();
  const roles = '[...new Set([...document.querySelectorAll("svg")].map((svg) => svg.getAttribute("role")))]';
  expect(await tab.evaluate(roles)).toEqual(['group', null]);
});
