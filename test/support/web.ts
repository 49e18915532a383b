/** A service, two sites that its documents may load from, and a forbidden one. */
import { Client, type Problem, problem } from './client.ts';
import { NameServer } from './name-server.ts';
import { type ReadPdf, readPdfReply } from './read-pdf.ts';
import { type Service, type SharedService, startService } from './service.ts';
import { sharedService } from './shared-service.ts';
import { Site } from './site.ts';

export class Web<S extends SharedService = Service> {
  readonly site: Site;
  /** A second allowed site on another port. */
  readonly other: Site;
  /** A site that is not allowed, although it accepts connections. */
  readonly forbidden: Site;
  readonly service: S;
  readonly ada: Client;
  readonly #end: () => Promise<void>;

  /** Names such as `a.private.test` resolve to this machine. */
  static async start(settings: Record<string, string> = {}, morePorts: number[] = []): Promise<Web> {
    const [site, other, forbidden] = await Promise.all([Site.start(), Site.start(), Site.start()]);
    const names = await NameServer.start('');
    const service = await startService({
      PLATEN_OUTBOUND_ALLOW: [site.port, other.port, ...morePorts].map((port) => `127.0.0.1:${port}`).join(' '),
      PLATEN_DNS_SERVERS: names.address,
      ...settings,
    });
    const { key } = await service.createKey(); // the first key is the operator's, who learns more
    return new Web({ site, other, forbidden }, { ...service, key }, async () => {
      await service[Symbol.asyncDispose]();
      names.close();
    });
  }

  /** Uses the shared service of this worker. It allows all of 127.0.0.1, so the forbidden site has another address. */
  static async share(): Promise<Web<SharedService>> {
    const [site, other, forbidden] = await Promise.all([Site.start(), Site.start(), Site.start({}, '127.0.0.2')]);
    return new Web({ site, other, forbidden }, await sharedService(), async () => {});
  }

  private constructor(
    { site, other, forbidden }: Record<'site' | 'other' | 'forbidden', Site>,
    service: S,
    end: () => Promise<void>,
  ) {
    this.site = site;
    this.other = other;
    this.forbidden = forbidden;
    this.#end = end;
    this.service = service;
    this.ada = new Client(service.url, service.key);
  }

  forget(): void {
    for (const site of this.#sites) site.forget();
  }

  async close(): Promise<void> {
    await this.#end();
    for (const site of this.#sites) site.close();
  }

  get #sites(): Site[] {
    return [this.site, this.other, this.forbidden];
  }

  /** Renders the document at this path of the site. */
  async visit(path: string, options: object = {}, client = this.ada): Promise<ReadPdf> {
    return readPdfReply(await client.pdf({ url: this.site.origin + path, options }));
  }

  async render(html: string, options: object = {}, client = this.ada): Promise<ReadPdf> {
    return readPdfReply(await client.pdf({ html, options }));
  }

  /** Returns the text of the first page. */
  async textOf(path: string, options: object = {}, client = this.ada): Promise<string> {
    return (await this.visit(path, options, client)).pages[0] ?? '';
  }

  /** Returns the problem document for this URL. */
  async problemAt(url: string, status: number, code: string, options: object = {}): Promise<Problem> {
    return problem(await this.ada.pdf({ url, options }), status, code);
  }
}
