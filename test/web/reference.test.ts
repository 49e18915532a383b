/** The reference in a browser: "Try it out" sends a request that is valid. */
import { expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { sharedService } from '../support/shared-service.ts';
import { launchVisitorBrowser } from '../support/web-page.ts';

const [service, browser] = await Promise.all([sharedService(), launchVisitorBrowser().then(closeAfterAll)]);

test.each([
  ['renderPdf', 200],
  ['renderImage', 200],
  ['assemblePdf', 200],
  ['createBatch', 202],
  ['createTemplate', 201],
  ['createKey', 201],
  ['listRequests', 200],
])('%s answers what "Try it out" sends', async (operation, status) => {
  const { page, context } = await browser.visit(service.url);
  await page.goto('/docs');
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  await page.getByLabel('auth-bearer-value').fill(service.key);
  await page.getByRole('button', { name: 'Apply credentials' }).click();
  await page.getByRole('button', { name: 'Close' }).click();
  const block = page.locator(`[id$="-${operation}"]`);
  await block.getByRole('button').first().click();
  await block.getByRole('button', { name: 'Try it out' }).click();
  const replied = page.waitForResponse((response) => response.url().startsWith(`${service.url}/v1/`));
  await block.getByRole('button', { name: 'Execute' }).click();
  const reply = await replied;
  expect(reply.status(), `${reply.request().postData()} ${reply.url()}`).toBe(status);
  await context.close();
});
