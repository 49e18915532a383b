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
