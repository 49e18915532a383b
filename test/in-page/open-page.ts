/** Opens a document in the bundled browser and asks the program in pages, without the service. */
import { type Browser, chromium, type Page } from 'playwright-core';
import { locateBrowser } from '../../src/chromium/browser/locate-browser.ts';
import type { Answer } from '../../src/chromium/devtools/ask.ts';
import { askExpression, QUESTIONS } from '../../src/chromium/devtools/in-page-program.ts';
import { loadConfig } from '../../src/config.ts';
import type { Questions } from '../../src/in-page/contract/questions.ts';
import { BROWSER_SETTINGS } from '../support/test-browser.ts';

export interface OpenPage {
  page: Page;
  ask<K extends keyof Questions>(name: K, ...args: Parameters<Questions[K]>): Promise<Answer<K>>;
}

export async function launchBrowser(): Promise<Browser> {
  const { path, env } = await locateBrowser(loadConfig(BROWSER_SETTINGS));
  return chromium.launch({ executablePath: path, env: { ...process.env, ...env }, args: ['--no-sandbox'] });
}

export async function openPage(browser: Browser, html: string, viewport = { width: 800, height: 600 }): Promise<OpenPage> {
  const page = await browser.newPage({ viewport });
  await page.setContent(html);
  await page.evaluate(QUESTIONS);
  return { page, ask: (name, ...args) => page.evaluate(askExpression(name, args)) };
}
