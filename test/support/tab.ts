/** A tab of the bundled browser without the rest of the service. */
import type { Browser } from '../../src/chromium/browser.ts';
import type { Session } from '../../src/chromium/devtools/connection.ts';

export class Tab implements AsyncDisposable {
  readonly session: Session;
  readonly frameId: string;
  readonly #browser: Browser;
  readonly #contextId: string;

  /** Without a proxy server, the tab cannot connect anywhere. */
  static async open(browser: Browser, proxyServer?: string): Promise<Tab> {
    const root = browser.connection.browser;
    const proxy = proxyServer ? { proxyServer, proxyBypassList: '<-loopback>' } : {};
    const { browserContextId } = await root.send('Target.createBrowserContext', { disposeOnDetach: true, ...proxy });
    const { targetId } = await root.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
    const session = browser.connection.openSession(sessionId);
    await session.send('Page.enable');
    return new Tab(browser, session, targetId, browserContextId);
  }

  private constructor(browser: Browser, session: Session, frameId: string, contextId: string) {
    this.#browser = browser;
    this.session = session;
    this.frameId = frameId;
    this.#contextId = contextId;
  }

  /** Resolves when the document has loaded. */
  async load(html: string): Promise<void> {
    const loaded = this.session.next('Page.loadEventFired');
    await this.session.send('Page.setDocumentContent', { frameId: this.frameId, html });
    await loaded;
  }

  /** Evaluates an expression and awaits a promise. Returns undefined after an exception. */
  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    return result.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.connection.browser.send('Target.disposeBrowserContext', { browserContextId: this.#contextId });
  }
}
