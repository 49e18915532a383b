/**
 * Takes the screenshots in the README and the guides: starts the service, opens its pages as a visitor, and writes
 * docs/images/*.png. Run: node tools/screenshots.ts [name ...]
 */
import { mkdir } from 'node:fs/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { enterKey, goTo } from '../test/support/dashboard.ts';
import { warmUp } from '../test/support/playground-page.ts';
import { type Service, startService } from '../test/support/service.ts';
import { launchVisitorBrowser, NARROW } from '../test/support/web-page.ts';
import { makeSampleAccount, type SampleAccount } from './sample-account.ts';

interface Picture {
  /** The name of the file, without `.png`. */
  name: string;
  context: BrowserContextOptions;
  /** Opens what the screenshot shows. */
  show(page: Page, service: Service): Promise<void>;
}

const DESK = { viewport: { width: 1280, height: 800 } };

const PICTURES: Picture[] = [
  {
    name: 'link-preview',
    context: { viewport: { width: 960, height: 504 }, deviceScaleFactor: 1.25 },
    show: async (page) => {
      await page.goto('/');
      await page.getByText('no warnings', { exact: true }).waitFor();
      await page.locator('.pdf-page canvas').first().waitFor();
    },
  },
  {
    name: 'playground',
    context: DESK,
    show: async (page) => {
      await page.goto('/');
      await isDrawn(page);
    },
  },
  {
    name: 'playground-dark',
    context: { ...DESK, colorScheme: 'dark' },
    show: async (page) => {
      await page.goto('/');
      await chooseExample(page, 'Account statement');
      await isDrawn(page);
    },
  },
  {
    name: 'playground-narrow',
    context: { viewport: NARROW },
    show: async (page) => {
      await page.goto('/');
      await chooseExample(page, 'Certificate');
      await page.getByRole('tab', { name: 'Preview' }).click();
      await page.locator('.pdf-page canvas').first().waitFor();
    },
  },
  {
    name: 'documents',
    context: DESK,
    show: async (page, service) => {
      await signIn(page, service);
      await page.getByText('25 documents', { exact: true }).waitFor();
      await page.getByRole('row').nth(6).locator('img').waitFor();
    },
  },
  {
    name: 'templates',
    context: DESK,
    show: async (page, service) => {
      const { templateId } = await signIn(page, service);
      await page.goto(`/edit?template=${templateId}`);
      await page.locator('.pdf-page canvas').first().waitFor({ state: 'attached' });
    },
  },
  {
    name: 'batch',
    context: DESK,
    show: async (page, service) => {
      const { batchId } = await signIn(page, service);
      await goTo(page, `/batches/${batchId}`);
      await page.getByText('Completed', { exact: true }).waitFor();
    },
  },
  {
    name: 'usage',
    context: { ...DESK, colorScheme: 'dark' },
    show: async (page, service) => {
      await signIn(page, service);
      await goTo(page, '/usage');
      await page.getByText('As a table').waitFor();
    },
  },
];

let sample: Promise<SampleAccount> | undefined;

async function signIn(page: Page, service: Service): Promise<SampleAccount> {
  sample ??= makeSampleAccount(service);
  const account = await sample;
  await page.goto('/dashboard');
  await enterKey(page, account.key);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.mouse.move(0, 0);
  return account;
}

/** Waits until the first page of the PDF and its thumbnail are drawn. */
async function isDrawn(page: Page): Promise<void> {
  await page.getByText('no warnings', { exact: true }).waitFor();
  await page.locator('.pdf-page canvas').first().waitFor({ state: 'attached' });
  await page.locator('.thumbnail canvas').first().waitFor({ state: 'attached' });
}

async function chooseExample(page: Page, name: string): Promise<void> {
  await page.getByText('no warnings', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Examples' }).click();
  const rendered = page.waitForResponse((response) => response.url().endsWith('/v1/playground/pdf') && response.ok());
  await page
    .getByRole('dialog')
    .getByRole('button', { name: new RegExp(`^${name} `) })
    .first()
    .click();
  await rendered;
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' }); // wait until the message has disappeared
}

const folder = new URL('../docs/images/', import.meta.url).pathname;
await mkdir(folder, { recursive: true });
const wanted = process.argv.slice(2);
await using service = await startService({ PLATEN_PLANS_FILE: '' });
await warmUp(service);
await using browser = await launchVisitorBrowser();
for (const { name, context, show } of PICTURES.filter((picture) => !wanted.length || wanted.includes(picture.name))) {
  const { page, context: opened } = await browser.visit(service.url, context);
  await show(page, service);
  await page.screenshot({ path: `${folder}${name}.png` });
  await opened.close();
}
