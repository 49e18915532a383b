/** The pages that explain errors: readable in both themes. */
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { expectSound } from '../support/page-checks.ts';
import { sharedService } from '../support/shared-service.ts';
import { launchVisitorBrowser, NARROW } from '../support/web-page.ts';

const [service, browser] = await Promise.all([sharedService(), launchVisitorBrowser().then(closeAfterAll)]);

test.each(['light', 'dark'] as const)('are accessible and fit narrow windows (%s)', async (colorScheme) => {
  const { page, context } = await browser.visit(service.url, { colorScheme, viewport: NARROW });
  for (const path of ['/errors', '/errors/render_timeout']) {
    await page.goto(path);
    await expectSound(page);
  }
  await context.close();
});

test('show a person who mistypes an address a page, and a program a problem', async () => {
  const { page, context } = await browser.visit(service.url);
  for (const path of ['/dashbord', '/docs/guide/none', '/errors/none']) {
    expect((await page.goto(path))?.status()).toBe(404);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    expect(await page.locator('article p').first().textContent()).toMatch(/^There is no .*\.$/);
    expect(await (await fetch(service.url + path)).json()).toMatchObject({ code: 'not_found', status: 404 });
  }
  await expectSound(page);
  await page.goto('/errors/invalid_request');
  await page.locator('main code').getByText('errors', { exact: true }).first().waitFor();
  await page.goto('/v1/none');
  expect(await page.locator('body').textContent()).toContain('"code":"not_found"');
  await context.close();
});

test('explain a link that leads nowhere any more to the person who follows it', async () => {
  const ada = new Client(service.url, service.key);
  const document = await ada.store({ html: '<p>x' });
  const { url } = (await (await ada.send('POST', `/v1/documents/${document.document_id}/links`)).json()) as { url: string };
  await ada.send('DELETE', `/v1/documents/${document.document_id}`);
  const { page, context } = await browser.visit(service.url);
  const reply = await page.goto(url);
  expect(reply?.status()).toBe(410);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await page.locator('main').textContent()).toContain('deleted');
  await expectSound(page);
  expect(await (await fetch(url)).json()).toMatchObject({ code: 'document_deleted', status: 410 });
  await context.close();
});
