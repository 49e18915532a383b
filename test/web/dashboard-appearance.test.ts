/** Every page of the dashboard is accessible and fits into the window, wide and narrow, light and dark. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { goTo, openDashboard, signInAt } from '../support/dashboard.ts';
import { accessibilityViolations, horizontalOverflow, skippedHeadings } from '../support/page-checks.ts';
import { sharedService } from '../support/shared-service.ts';
import { launchVisitorBrowser, NARROW, WIDE } from '../support/web-page.ts';

const LONG = 'a-name-without-any-place-to-break-it-'.repeat(4);

const [service, browser] = await Promise.all([sharedService(), launchVisitorBrowser().then(closeAfterAll)]);
const key = new Client(service.url, (await service.createKey('hundred')).key);
const document = await key.store({ html: '<p>A page</p><img src="http://10.0.0.1/x.png">', filename: `${LONG}.pdf` });
const template = await key.template('<p>{{customer.name}}', { name: LONG });
await key.send('PUT', `/v1/templates/${template.template_id}`, { html: '<p>Dear {{customer.name}}' });
const assets = { [`${LONG}/print.css`]: { content: btoa('p { color: navy }') } };
const withFiles = await key.template('<p>Files<img src="missing.svg">', { name: 'With files', assets });
const items = [
  { html: '<p>x', reference: LONG },
  { html: '<p>y', options: { scale: 9 } },
];
const batch = await key.send('POST', '/v1/batches', { items }, { prefer: 'wait=60' });
const batchId = ((await batch.json()) as { batch_id: string }).batch_id;

interface View {
  name: string;
  path: () => string;
  /** Resolves when the page shows its content. */
  ready(page: Page): Promise<void>;
}

const VIEWS: View[] = [
  {
    name: 'documents',
    path: () => '/documents',
    ready: (page) => page.getByText('2 documents', { exact: true }).waitFor(),
  },
  { name: 'nothing found', path: () => '/documents?q=nothing', ready: (page) => page.getByText('Nothing matches').waitFor() },
  {
    name: 'one document',
    path: () => `/documents/${document.document_id}`,
    ready: (page) => page.getByRole('region', { name: 'Page 1 of 1' }).getByText('A page').waitFor(),
  },
  {
    name: 'a signed link',
    path: () => `/documents/${document.document_id}?link`,
    async ready(page) {
      await page.getByRole('button', { name: 'Signed link' }).click();
      await page.getByRole('button', { name: 'Create link' }).click();
      await page.getByLabel('Link', { exact: true }).waitFor();
    },
  },
  { name: 'templates', path: () => '/templates', ready: (page) => page.getByText('2 templates', { exact: true }).waitFor() },
  {
    name: 'one template',
    path: () => `/templates/${template.template_id}`,
    ready: (page) => page.getByLabel('Folder (optional)').waitFor(),
  },
  {
    name: 'files of a template',
    path: () => `/templates/${withFiles.template_id}`,
    async ready(page) {
      await page.getByRole('row', { name: 'print.css' }).waitFor();
      await page.getByRole('tab', { name: 'Schema' }).click();
      await page.getByLabel('JSON Schema').waitFor();
      await page.getByRole('tab', { name: 'Files' }).click();
      await page.getByRole('row', { name: 'print.css' }).waitFor();
    },
  },
  {
    name: 'versions',
    path: () => `/templates/${template.template_id}?versions`,
    async ready(page) {
      await page.getByRole('tab', { name: 'Versions' }).click();
      await page.getByRole('button', { name: 'Compare version 1' }).click();
      await page.getByRole('textbox', { name: 'Changes since version 1' }).waitFor();
    },
  },
  { name: 'requests', path: () => '/requests', ready: (page) => page.getByText(/^\d+ requests$/).waitFor() },
  { name: 'batches', path: () => '/batches', ready: (page) => page.getByText('1 batch', { exact: true }).waitFor() },
  {
    name: 'one batch',
    path: () => `/batches/${batchId}`,
    ready: (page) => page.getByText('2 items', { exact: true }).waitFor(),
  },
  {
    name: 'usage',
    path: () => '/usage',
    ready: (page) => page.getByText('As a table').click(),
  },
  {
    name: 'webhooks',
    path: () => '/webhooks',
    async ready(page) {
      await page.getByRole('button', { name: 'Show the secret' }).click();
      await page.getByText(/^whsec_/).waitFor();
    },
  },
  {
    name: 'a page that is not there',
    path: () => '/none',
    ready: (page) => page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor(),
  },
  {
    name: 'a document that is not there',
    path: () => '/documents/doc_none',
    ready: (page) => page.getByRole('alert').waitFor(),
  },
];

describe.each([
  ['wide and light', WIDE, 'light'],
  ['narrow and dark', NARROW, 'dark'],
  ['narrow and light', NARROW, 'light'],
  ['wide and dark', WIDE, 'dark'],
] as const)('the dashboard, %s,', (_, viewport, colorScheme) => {
  test('has an accessible sign-in that fits into the window', async () => {
    const visitor = await browser.visit(service.url, { viewport, colorScheme });
    await openDashboard(visitor);
    expect(await accessibilityViolations(visitor.page)).toEqual([]);
    expect(await horizontalOverflow(visitor.page)).toBe(0);
    await visitor.context.close();
  });

  test('has only accessible pages that fit into the window', async () => {
    const visitor = await browser.visit(service.url, { viewport, colorScheme });
    const page = await signInAt(visitor, key.key);
    expect((await page.locator('.top-bar').boundingBox())?.height, 'the links are in one line').toBeLessThan(60);
    for (const view of VIEWS) {
      await goTo(page, view.path());
      await view.ready(page);
      expect.soft(await accessibilityViolations(page), view.name).toEqual([]);
      expect.soft(await horizontalOverflow(page), view.name).toBe(0);
      expect.soft(await skippedHeadings(page), view.name).toEqual([]);
      const current = page.locator('.top > nav [aria-current]');
      const { x = 0, width = 0 } = (await current.count()) ? ((await current.boundingBox()) ?? {}) : {};
      expect.soft(x >= 0 && x + width <= viewport.width, `${view.name}: its link is in sight`).toBe(true);
      await page.keyboard.press('Escape'); // closes a dialog
    }
    await visitor.context.close();
  });
});

test('everything can be used with the keyboard alone', async () => {
  const visitor = await browser.visit(service.url);
  const { page } = visitor;
  await openDashboard(visitor);
  await page.keyboard.press('Tab');
  await page.keyboard.insertText(key.key);
  await page.keyboard.press('Enter');
  await page.getByText('2 documents', { exact: true }).waitFor();
  await page.evaluate('document.activeElement?.blur()');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter'); // follows the link that skips to the content
  const open = page.getByRole('link', { name: `${LONG}.pdf` });
  for (let left = 20; left > 0 && !(await hasFocus(page, LONG)); left--) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `${LONG}.pdf` }).waitFor();
  expect(await open.count()).toBe(0);
  await page.getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await hasFocus(page, 'Delete')).toBe(true);
  await visitor.context.close();
});

function hasFocus(page: Page, text: string): Promise<boolean> {
  return page.evaluate(`(({ tagName, textContent }) => /^(A|BUTTON)$/.test(tagName) && textContent.includes(${JSON.stringify(text)}))(
    document.activeElement)`);
}

test('a chosen colour theme is kept, and takes precedence over the system', async () => {
  const visitor = await browser.visit(service.url, { colorScheme: 'light' });
  await openDashboard(visitor);
  await visitor.page.getByLabel('Colours').selectOption('Dark');
  await visitor.page.reload();
  await visitor.page.getByLabel('API key').waitFor();
  expect(await visitor.page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(22, 24, 29)');
  await visitor.context.close();
});
