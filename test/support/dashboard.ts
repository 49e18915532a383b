/** Opens and uses the dashboard as a visitor does. */
import type { Page } from 'playwright-core';
import type { Visitor } from './web-page.ts';

export async function openDashboard({ page }: Visitor, hash = ''): Promise<void> {
  await page.goto(`/dashboard${hash}`);
  await page.getByLabel('API key').waitFor();
}

export async function enterKey(page: Page, key: string, remember = false): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('checkbox', { name: 'Stay signed in until this tab is closed' }).setChecked(remember);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens the dashboard at a route and waits for the page that follows the sign-in. */
export async function signInAt(visitor: Visitor, key: string, hash = '#/documents'): Promise<Page> {
  await openDashboard(visitor, hash);
  await enterKey(visitor.page, key);
  await visitor.page.getByRole('button', { name: 'Sign out' }).waitFor();
  return visitor.page;
}

/** Goes to another route without a reload, which would forget the key. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** Returns the console errors except those for replies with an expected status, which browsers always log. */
export function unexpectedErrors({ errors }: Visitor, ...expected: number[]): string[] {
  return errors.filter((text) => !expected.some((status) => text.includes(`responded with a status of ${status}`)));
}
