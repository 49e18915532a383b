/** Checks that hold for every page: it is accessible and fits into the window. */
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const { source } = createRequire(import.meta.url)('axe-core') as { source: string };

/** What fades in has no contrast yet. Spinners never finish. */
const FINISH_ANIMATIONS = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished))`;

/** Returns the findings of axe-core as text; empty if there are none. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(FINISH_ANIMATIONS);
  if (!(await page.evaluate('globalThis.axe !== undefined'))) await page.evaluate(source);
  const { violations } = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })",
  )) as AxeResults;
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`);
}

/** Expects that a page is accessible, fits into the window, and skips no level of headings. */
export async function expectSound(page: Page): Promise<void> {
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await horizontalOverflow(page)).toBe(0);
  expect(await skippedHeadings(page)).toEqual([]);
}

/** Returns the number of CSS pixels by which the page is wider than the window. */
export function horizontalOverflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Returns the headings that are more than one level below the one before them. */
export function skippedHeadings(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')]
    .filter((heading) => heading.checkVisibility())
    .filter((heading, index, all) => Number(heading.tagName[1]) > Number(all[index - 1]?.tagName[1] ?? 0) + 1)
    .map((heading) => heading.outerHTML)`);
}

/** Closes a tab as its visitor does, and returns whether the page asks before. */
export async function asksBeforeClosing(page: Page): Promise<boolean> {
  const asked = page.waitForEvent('dialog').then(async (dialog) => {
    await dialog.accept();
    return dialog.type() === 'beforeunload';
  });
  const closed = page.waitForEvent('close').then(() => false);
  await page.close({ runBeforeUnload: true });
  return Promise.race([asked, closed]).finally(() => Promise.allSettled([asked, closed]));
}
