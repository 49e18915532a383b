/** The one site the policy of the test allows, which does what it can to lead elsewhere. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LocalServer } from '../../support/local-server.ts';
import { PIXEL } from '../../support/pixel.ts';

/** The text of its page, which shows that the proxy lets allowed requests through. */
export const GREETING = 'ALLOWEDSITE';

/** Resolves when the payload of this mark has had its time. */
export type Hold = (mark: string) => Promise<void>;

export class AllowedSite extends LocalServer {
  /** The documents at `/document/mark`, by mark. */
  readonly documents = new Map<string, string>();
  readonly #hold: Hold;

  static async start(hold: Hold): Promise<AllowedSite> {
    return await new AllowedSite(hold).listen();
  }

  private constructor(hold: Hold) {
    super(createServer((request, response) => void this.#answer(request, response)));
    this.#hold = hold;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.shouldKeepAlive = false; // The next request needs a new connection, so the name is resolved again.
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://site');
    const [, action = '', detail = ''] = pathname.split('/');
    const to = searchParams.get('to') ?? '';
    const send = (headers: Record<string, string>, body: string | Buffer = GREETING, status = 200) =>
      response.writeHead(status, { 'content-type': 'text/html', 'access-control-allow-origin': '*', ...headers }).end(body);
    if (action === 'hold') await Promise.all(detail.split('+').map(this.#hold));
    if (action === 'hold' || action === 'image.png') return void send({ 'content-type': 'image/png' }, PIXEL);
    if (action === 'redirect') return void send({ location: to }, '', Number(detail));
    if (action === 'refresh') return void send({ refresh: `0; url=${to}` });
    if (action === 'link') return void send({ link: `<${to}>; rel=${searchParams.get('rel')}` });
    if (action === 'policy')
      return void send({ 'content-security-policy': `img-src 'none'; report-uri ${to}` }, '<img src=/image.png>');
    if (action === 'page') return void send({ 'content-type': searchParams.get('type') ?? '' }, searchParams.get('body') ?? '');
    send({}, this.documents.get(detail)); // Other paths get the greeting.
  }
}
