/** Uses the playground as a visitor does: by labels and roles, and by the content of the PDF. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { eventually, type SharedService } from './service.ts';
import { IN_FIREFOX, type Visitor, type VisitorBrowser } from './web-page.ts';

export class PlaygroundPage {
  readonly page: Page;
  readonly visitor: Visitor;

  constructor(visitor: Visitor) {
    this.visitor = visitor;
    this.page = visitor.page;
  }

  static async open(
    browser: VisitorBrowser,
    url: string,
    { path = '/', ...options }: Parameters<VisitorBrowser['visit']>[1] & { path?: string } = {},
  ): Promise<PlaygroundPage> {
    const visitor = await browser.visit(url, { acceptDownloads: true, ...options });
    await visitor.page.goto(path);
    const opened = new PlaygroundPage(visitor);
    await opened.ready();
    return opened;
  }

  /** Waits until all parts are loaded, which follow the first page. Before, a plain field has the text. */
  async ready(): Promise<void> {
    await this.result.waitFor({ state: 'attached' });
    await this.page.locator('.code-editor .cm-content, .url-source').first().waitFor({ state: 'attached' });
  }

  /** Console errors, except those for error replies, which browsers always log. */
  get errors(): string[] {
    return this.visitor.errors.filter((message) => !/status of [45]\d\d|ERR_INTERNET_DISCONNECTED/.test(message));
  }

  get result(): Locator {
    return this.page.getByRole('region', { name: 'Result' });
  }

  /** The message that is shown when there is no new PDF. */
  get errorNotice(): Locator {
    return this.result.locator('.error-notice');
  }

  /** A page of the PDF that is shown. The next PDF is in the document too while it is drawn. */
  pdfPage(number: number): Locator {
    return this.page.locator('.pdf-pages:not(.coming)').getByLabel(new RegExp(`^Page ${number} of `));
  }

  editor(label: string): Locator {
    return this.page.getByRole('textbox', { name: label, exact: true });
  }

  /** Replaces the text of an editor in one step. */
  async write(label: string, text: string): Promise<void> {
    await this.editor(label).focus();
    await this.page.keyboard.press('Control+a');
    // In Firefox, Playwright presses keys instead, for which the editor closes brackets.
    if (IN_FIREFOX) await this.page.evaluate(`document.execCommand('insertText', false, ${JSON.stringify(text)})`);
    else await this.page.keyboard.insertText(text);
  }

  /** Waits until a page of the PDF contains this text. */
  async shows(text: string, number = 1): Promise<void> {
    await this.pdfPage(number).getByText(text).first().waitFor({ state: 'attached' });
  }

  tab(name: 'Edit' | 'Style' | 'Files' | 'Options' | 'Preview'): Promise<void> {
    return this.page.getByRole('tab', { name }).click();
  }

  /** Returns the fields of an option. */
  option(path: string): Locator {
    return this.page.locator(`[data-path="${path}"]`);
  }

  /** Opens the tab and the group of an option, and returns its fields. */
  async openOption(path: string): Promise<Locator> {
    await this.tab('Options');
    await this.page.getByRole('searchbox', { name: 'Find an option' }).fill(path.split('.')[0] ?? path);
    return this.option(path);
  }

  async download(): Promise<Buffer> {
    const download = this.page.waitForEvent('download');
    await this.page.getByRole('button', { name: 'Download' }).click();
    return readFile(await (await download).path());
  }

  /** Returns the code in the dialog. */
  async codeIn(language: string): Promise<string> {
    await this.page.getByRole('button', { name: 'Copy as code' }).click();
    await this.page.getByRole('tab', { name: language, exact: true }).click();
    const code = await this.page.getByRole('region', { name: `Code, ${language}`, exact: true }).textContent();
    await this.page.keyboard.press('Escape');
    return code ?? '';
  }

  async link(): Promise<string> {
    await this.page.getByRole('button', { name: 'Link', exact: true }).click();
    const field = this.page.getByRole('textbox', { name: 'Link' });
    await eventually('there is a link', async () => (await field.inputValue()) !== '');
    const link = await field.inputValue();
    await this.page.keyboard.press('Escape');
    return link;
  }
}

/** Makes a first render, which starts the playground's browser, so that later renders do not wait for it. */
export async function warmUp(service: SharedService): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ html: '<p>warm</p>' }) };
  await eventually('the playground renders', async () => (await fetch(`${service.url}/v1/playground/pdf`, init)).ok, 100_000);
}

export const DRAFT = { mode: 'html', html: '', template: '', engine: 'liquid', data: '{}', options: {} };

/** Returns the URL fragment that the playground creates for a draft. */
export async function fragmentOf(draft: object): Promise<string> {
  const packed = new Blob([JSON.stringify(draft)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return `#v1.${Buffer.from(await new Response(packed).arrayBuffer()).toString('base64url')}`;
}
