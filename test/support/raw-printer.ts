/** The bundled browser without the service around it: HTML in, the PDF exactly as Chromium wrote it out. */
import { type Browser, launchBrowser } from '../../src/chromium/browser.ts';
import { locateBrowser } from '../../src/chromium/locate-browser.ts';
import { loadConfig } from '../../src/config.ts';
import { Deadline } from '../../src/deadline.ts';
import { type EgressProxy, startEgressProxy } from '../../src/outbound/egress-proxy.ts';
import { OutboundPolicy } from '../../src/outbound/policy.ts';
import { parseRenderRequest } from '../../src/render/render-request.ts';

const config = loadConfig({});

export class RawPrinter {
  readonly #browser: Browser;
  readonly #proxy: EgressProxy;

  static async start(): Promise<RawPrinter> {
    const proxy = await startEgressProxy(new OutboundPolicy(config));
    return new RawPrinter(await launchBrowser(await locateBrowser(config), config, proxy), proxy);
  }

  private constructor(browser: Browser, proxy: EgressProxy) {
    this.#browser = browser;
    this.#proxy = proxy;
  }

  async print(html: string, options: object = {}): Promise<Buffer> {
    using deadline = new Deadline(50_000);
    const { load, print } = parseRenderRequest({ html, options }, config);
    const page = await this.#browser.openPage();
    try {
      const { chunks } = await page.print({ content: { kind: 'html', html, baseUrl: undefined }, load, print }, deadline);
      return Buffer.concat(chunks);
    } finally {
      await page.close();
    }
  }

  /** A watermark's stamp: one square page. */
  async stamp(body: string): Promise<Buffer> {
    return await this.print(`<!doctype html><style>body { margin: 0 }</style>${body}`, {
      width: '400px',
      height: '400px',
      margin: 0,
    });
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#proxy.close();
  }
}
