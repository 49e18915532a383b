/** The drafts that a browser keeps, as its visitor and as its storage see them. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { PlaygroundPage } from './playground-page.ts';
import { eventually } from './service.ts';

/** Opens another tab of the same browser. `storage` is that of its tab at first, in JSON. */
export async function openBeside({ visitor }: PlaygroundPage, path = '/', storage = '{}'): Promise<PlaygroundPage> {
  const page = await visitor.context.newPage();
  await page.addInitScript((json) => Object.assign(sessionStorage, JSON.parse(json)), storage);
  await page.goto(path);
  const opened = new PlaygroundPage({ ...visitor, page });
  await opened.ready();
  return opened;
}

/** The titles in the list of drafts. */
export async function titlesOf({ page }: PlaygroundPage): Promise<string[]> {
  await page.getByRole('button', { name: 'Drafts', exact: true }).click();
  await page.getByRole('dialog', { name: 'Drafts' }).waitFor(); // its code is loaded first
  const titles = await page.locator('.drafts strong').allTextContents();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  return titles;
}

/** Writes HTML, and waits until it is kept. */
export async function writeDraft(playground: PlaygroundPage, title: string): Promise<void> {
  await playground.write('HTML', `<h1>${title}</h1>`);
  await expect.poll(() => titlesOf(playground), { timeout: 60_000 }).toContain(title);
}

/** Returns the drafts in the storage of the browser, in JSON. */
export function readKept(page: Page): Promise<string> {
  return page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('platen');
    opening.onsuccess = () => {
      const reading = opening.result.transaction('drafts').objectStore('drafts').getAll();
      reading.onsuccess = () => {
        opening.result.close();
        resolve(JSON.stringify(reading.result));
      };
    };
  })`);
}

/** Waits until the browser has kept a text. */
export async function waitUntilKept(page: Page, text: string): Promise<void> {
  await eventually(`the browser has kept ${text}`, async () => (await readKept(page)).includes(text), 90_000);
}
