/** Opens playgrounds in one browser for all tests of a file: after each test, it closes them and checks their consoles. */
import { afterEach, expect } from 'vitest';
import { closeAfterAll } from './close-after-all.ts';
import { PlaygroundPage, warmUp } from './playground-page.ts';
import type { SharedService } from './service.ts';
import { sharedService } from './shared-service.ts';
import { launchVisitorBrowser, type VisitorBrowser } from './web-page.ts';

export interface Playgrounds {
  service: SharedService;
  browser: VisitorBrowser;
  open(options?: Parameters<typeof PlaygroundPage.open>[2]): Promise<PlaygroundPage>;
}

/** `own` is used instead of the shared service. */
export async function openPlaygrounds(own?: SharedService): Promise<Playgrounds> {
  const [service, browser] = await Promise.all([own ?? sharedService(), launchVisitorBrowser().then(closeAfterAll)]);
  await warmUp(service);
  const opened: PlaygroundPage[] = [];
  afterEach(async () => {
    const closing = opened.splice(0);
    const errors = closing.flatMap((playground) => playground.errors);
    await Promise.all(closing.map(({ visitor }) => visitor.context.close()));
    expect(errors).toEqual([]);
  });
  return {
    service,
    browser,
    async open(options) {
      const page = await PlaygroundPage.open(browser, service.url, options);
      opened.push(page);
      return page;
    },
  };
}
