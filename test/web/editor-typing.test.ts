/** Editors keep text exactly as typed, however fast: key by key, or in bursts as from an input method. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { enterKey } from '../support/dashboard.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { startService } from '../support/service.ts';

const playgrounds = await openPlaygrounds();

const closed = await startService({ PLATEN_PLAYGROUND: 'off' }).then(closeAfterAll);

const WORDS = Array.from({ length: 40 }, (_, index) => `word${index}`);
const TYPED = WORDS.join(' ');

async function clear(page: Page, editor: string): Promise<void> {
  await page.getByRole('textbox', { name: editor, exact: true }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
}

/** Key presses are not awaited one by one, so they arrive as fast as the page accepts them. */
const METHODS: Array<[string, (page: Page) => Promise<unknown>]> = [
  ['by key', (page) => page.keyboard.type(TYPED, { delay: 0 })],
  ['in bursts', (page) => Promise.all(TYPED.match(/.{1,3}/g)?.map((part) => page.keyboard.insertText(part)) ?? [])],
];

function textOf(page: Page, editor: string): Promise<string | null> {
  return page.getByRole('textbox', { name: editor, exact: true }).textContent();
}

test.each(METHODS)('the playground keeps what is typed %s, and renders it', async (_, type) => {
  const playground = await playgrounds.open();
  const { page } = playground;
  await clear(page, 'HTML');
  await type(page);
  expect(await textOf(page, 'HTML')).toBe(TYPED);
  for (const word of [WORDS[0], WORDS.at(-1)]) await playground.shows(String(word));
});

test.each(METHODS)('the playground keeps what is typed %s into template and data', async (_, type) => {
  const { page } = await playgrounds.open();
  await page.getByRole('button', { name: 'Template', exact: true }).click();
  for (const editor of ['Template', 'Data']) {
    await clear(page, editor);
    await type(page);
    expect(await textOf(page, editor)).toBe(TYPED);
  }
});

test.each(METHODS)('the editor keeps what is typed %s into a stored template and its data, and saves it', async (_, type) => {
  const key = new Client(closed.url, closed.key);
  const { template_id } = await key.template('<p>old');
  const { page, context } = await playgrounds.browser.visit(closed.url);
  await page.goto(`/edit?template=${template_id}`);
  await enterKey(page, closed.key);
  for (const editor of ['Template', 'Data']) {
    await clear(page, editor);
    await type(page);
    expect(await textOf(page, editor)).toBe(TYPED);
  }
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Version 2', { exact: true }).waitFor();
  expect(await key.json(`/v1/templates/${template_id}`)).toMatchObject({ html: TYPED });
  await context.close();
});
