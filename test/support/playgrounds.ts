/** For suites of the playground's page: a service and a browser for all tests of a file, closed tabs and an empty console after each. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { PlaygroundPage, warmUp } from './playground-page.ts';
import { type Service, startService } from './service.ts';
import { launchVisitorBrowser, type VisitorBrowser } from './web-page.ts';

export interface Playgrounds {
  service: Service;
  browser: VisitorBrowser;
  open(options?: Parameters<typeof PlaygroundPage.open>[2]): Promise<PlaygroundPage>;
}

/** What is returned is there once the first test begins. */
export function setUpPlaygrounds(): Playgrounds {
  let opened: PlaygroundPage[] = [];
  const playgrounds = {
    async open(options?) {
      const page = await PlaygroundPage.open(playgrounds.browser, playgrounds.service.url, options);
      opened.push(page);
      return page;
    },
  } as Playgrounds;

  beforeAll(async () => {
    const settings = { PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: '100000' };
    [playgrounds.service, playgrounds.browser] = await Promise.all([startService(settings), launchVisitorBrowser()]);
    await warmUp(playgrounds.service);
  });

  afterEach(async () => {
    const complaints = opened.flatMap((playground) => playground.complaints);
    await Promise.all(opened.map(({ visitor }) => visitor.context.close()));
    opened = [];
    expect(complaints).toEqual([]);
  });

  afterAll(async () => {
    await playgrounds.browser?.[Symbol.asyncDispose]();
    await playgrounds.service?.[Symbol.asyncDispose]();
  });
  return playgrounds;
}
