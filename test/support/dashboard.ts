/** Opens and uses the dashboard, and the editor of a template, as a visitor does. */
import type { Page } from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { Client } from './client.ts';
import { closeAfterAll } from './close-after-all.ts';
import { PlaygroundPage } from './playground-page.ts';
import { sharedService } from './shared-service.ts';
import { launchVisitorBrowser, type Visitor } from './web-page.ts';

/** What the live preview of a template may be answered with while its text is written, and on a slow machine. */
const LIVE = [422, 429, 504];

/** Opens one browser for all tests of a file. After each test, it closes its visits and checks their consoles. */
export async function openDashboards() {
  const [service, browser] = await Promise.all([sharedService(), launchVisitorBrowser().then(closeAfterAll)]);
  const visits: Array<{ visitor: Visitor; expected: Array<number | string> }> = [];
  afterEach(async ({ task }) => {
    const ended = visits.splice(0);
    if (task.result?.state === 'fail') await Promise.all(ended.map(tellWhatIsSeen));
    const errors = ended.flatMap(({ visitor, expected }) => unexpectedErrors(visitor, expected));
    await Promise.all(ended.map(({ visitor }) => visitor.context.close()));
    expect(errors).toEqual([]);
  });
  /** `expected` are error statuses that the service may answer with, or parts of other console errors. */
  const visit = async (expected: Array<number | string> = [], url = service.url) => {
    const visitor = await browser.visit(url);
    visits.push({ visitor, expected });
    return visitor;
  };
  return {
    service,
    visit,
    /** Signs in as a new visitor, in the editor of a template. */
    openEditor: async (key: string, templateId: string, expected: Array<number | string> = [], url?: string) => {
      const visitor = await visit([...LIVE, ...expected], url);
      await visitor.page.goto(`/edit?template=${templateId}`);
      await enterKey(visitor.page, key);
      return editorOf(visitor.page);
    },
    newClient: async () => new Client(service.url, (await service.createKey()).key),
    /** Signs in as a new visitor. */
    signIn: async (key: string, path = '', expected: Array<number | string> = [], url?: string) =>
      signInAt(await visit(path.startsWith('/templates') ? [...LIVE, ...expected] : expected, url), key, path || undefined),
  };
}

/** What a failed test has left on a page tells more than the locator that it has waited for. */
async function tellWhatIsSeen({ visitor: { page, errors } }: { visitor: Visitor }): Promise<void> {
  const seen = await page.locator('body').ariaSnapshot({ timeout: 5_000 }).catch(String);
  process.stderr.write(`${page.url()}\n${seen}\n${errors.join('\n')}\n`);
}

/** Waits until the editor is shown. */
export async function editorOf(page: Page): Promise<PlaygroundPage> {
  const opened = new PlaygroundPage({ page, context: page.context(), errors: [] });
  await opened.ready();
  return opened;
}

export async function openDashboard({ page }: Visitor, path = ''): Promise<void> {
  await page.goto(`/dashboard${path}`);
  await page.getByLabel('API key').waitFor();
}

export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens the dashboard at a route and waits for the page that follows the sign-in. */
export async function signInAt(visitor: Visitor, key: string, path = '/documents'): Promise<Page> {
  await openDashboard(visitor, path);
  await enterKey(visitor.page, key);
  await visitor.page.getByRole('button', { name: 'Sign out' }).waitFor();
  return visitor.page;
}

/** Goes to another route without a reload. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`{
    const link = document.createElement('a');
    link.href = ${JSON.stringify(`/dashboard${path}`)};
    document.body.append(link);
    link.click();
    link.remove();
  }`);
}

/** Returns the console errors except those for replies with an expected status, which browsers always log. */
function unexpectedErrors({ errors }: Visitor, expected: Array<number | string>): string[] {
  const parts = expected.map((each) => (typeof each === 'number' ? `responded with a status of ${each}` : each));
  return errors.filter((text) => !parts.some((part) => text.includes(part)));
}
