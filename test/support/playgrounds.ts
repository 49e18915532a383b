/**
 * Sets up playground tests: one service and browser for all tests of a file; closed tabs and a check of the console after each
 * test.
 */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { PlaygroundPage, warmUp } from './playground-page.ts';
import type { SharedService } from './service.ts';
import { sharedService } from './shared-service.ts';
import { launchVisitorBrowser, type VisitorBrowser } from './web-page.ts';

export interface Playgrounds {
  service: SharedService;
  browser: VisitorBrowser;
  open(options?: Parameters<typeof PlaygroundPage.open>[2]): Promise<PlaygroundPage>;
}

/** The members of the result are set when the first test begins. */
export function setUpPlaygrounds(start: () => Promise<SharedService> = sharedService): Playgrounds {
  let opened: PlaygroundPage[] = [];
  const playgrounds = {
    async open(options?) {
      const page = await PlaygroundPage.open(playgrounds.browser, playgrounds.service.url, options);
      opened.push(page);
      return page;
    },
  } as Playgrounds;

  beforeAll(async () => {
    [playgrounds.service, playgrounds.browser] = await Promise.all([start(), launchVisitorBrowser()]);
    await warmUp(playgrounds.service);
  });

  afterEach(async () => {
    const errors = opened.flatMap((playground) => playground.errors);
    await Promise.all(opened.map(({ visitor }) => visitor.context.close()));
    opened = [];
    expect(errors).toEqual([]);
  });

  afterAll(async () => {
    await playgrounds.browser?.[Symbol.asyncDispose]();
  });
  return playgrounds;
}
