/** The pages that explain errors: readable in both themes. */
import { test } from 'vitest';
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
