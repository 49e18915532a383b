/** Prints HTML with the bundled browser alone and returns the PDF exactly as Chromium wrote it. */
import { printOnce } from '../../src/chromium/print-once.ts';
import { loadConfig } from '../../src/config.ts';
import { Deadline } from '../../src/deadline.ts';
import { parseRenderRequest } from '../../src/render/request/render-request.ts';
import { type BareBrowser, startBareBrowser } from './bare-browser.ts';

const { limits } = loadConfig({});

export class RawPrinter {
  readonly #bare: BareBrowser;

  static async start(): Promise<RawPrinter> {
    return new RawPrinter(await startBareBrowser());
  }

  private constructor(bare: BareBrowser) {
    this.#bare = bare;
  }

  async print(html: string, options: object = {}): Promise<Buffer> {
    using deadline = new Deadline(50_000);
    const { load, print } = parseRenderRequest({ html, options }, limits);
    const page = await this.#bare.browser.openPage();
    try {
      const { chunks } = await printOnce(page, { content: { kind: 'html', html, baseUrl: undefined }, load, print }, deadline);
      return Buffer.concat(chunks);
    } finally {
      await page.close();
    }
  }

  /** Prints the stamp of a watermark: one square page. */
  async stamp(body: string): Promise<Buffer> {
    return await this.print(`<!doctype html><style>body { margin: 0 }</style>${body}`, {
      width: '400px',
      height: '400px',
      margin: 0,
    });
  }

  async close(): Promise<void> {
    await this.#bare.close();
  }
}
