/** Listeners that nothing may reach: TCP and UDP on every address of the machine. Whatever arrives is kept with its payload's mark. */
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { PIXEL } from '../../support/pixel.ts';

/** Every canary serves this text, which no reply of the service may contain. */
export const SECRET = 'CANARYSECRET';

/** Every path and host name that a payload requests contains its mark. */
export const MARK = /mark\d{3}z/i;

export interface Hit {
  /** Undefined for a connection without data, or with data that names no payload. */
  mark: string | undefined;
  how: 'accept' | 'request' | 'upgrade' | 'bytes' | 'datagram';
  at: string;
}

const ANSWERS: Record<string, [type: string, body: string | Buffer]> = {
  png: ['image/png', PIXEL],
  css: ['text/css', `body::after { content: "${SECRET}" }`],
  js: ['text/javascript', `globalThis.document?.body?.append("${SECRET}")`],
  svg: ['image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg"><g id="x"><text y="20">${SECRET}</text></g></svg>`],
  events: ['text/event-stream', `data: ${SECRET}\n\n`],
  html: ['text/html', `<p>${SECRET}</p>`],
};

export class Canary {
  readonly hits: Hit[] = [];
  /** The port, which is the same on all addresses. */
  port = 0;
  readonly #servers: Server[] = [];
  readonly #sockets: Datagrams[] = [];
  /** The marks of payloads that have their own port, by port. */
  readonly #marks = new Map<number, string>();
  readonly #news = new EventEmitter().setMaxListeners(0);

  static async start(): Promise<Canary> {
    const canary = new Canary();
    canary.port = await canary.#listenEverywhere();
    return canary;
  }

  /** Opens a port that only one payload knows. */
  async portFor(mark: string): Promise<number> {
    const port = await this.#listenEverywhere();
    this.#marks.set(port, mark);
    return port;
  }

  /** Listens on one more address. */
  async listen(host: string, port: number): Promise<number> {
    const server = createServer((request, response) => this.#answer(request, response));
    server.on('connection', (socket) => this.#note('accept', socket));
    server.on('upgrade', (request, socket) => {
      this.#note('upgrade', socket, request.url);
      socket.destroy();
    });
    // Data that is not HTTP ends here: a TLS hello, which contains the requested name, or STUN.
    server.on('clientError', (error: Error & { rawPacket?: Buffer }, socket) => {
      this.#note('bytes', socket, error.rawPacket?.toString('latin1'));
      socket.destroy();
    });
    server.listen({ host, port, ipv6Only: host === '::1' });
    await once(server, 'listening');
    this.#servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  hitsOf(mark: string): Hit[] {
    return this.hits.filter((hit) => hit.mark === mark);
  }

  /** Resolves when the payload has arrived, or after this time. */
  async sees(mark: string, patienceMs: number): Promise<void> {
    if (this.hitsOf(mark).length) return;
    await once(this.#news, mark, { signal: AbortSignal.timeout(patienceMs) }).catch(() => {});
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
    for (const server of this.#servers) server.close().closeAllConnections();
  }

  async #listenEverywhere(): Promise<number> {
    const port = await this.listen('::', 0);
    const socket = createSocket({ type: 'udp6' }, (message) => this.#noteDatagram(message, port));
    socket.bind(port, '::');
    await once(socket, 'listening');
    this.#sockets.push(socket);
    return port;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.#note('request', request.socket, `${request.url} ${request.headers.host}`);
    const [type, body] = ANSWERS[/\.(\w+)/.exec(request.url ?? '')?.[1] ?? 'html'] ?? ['text/plain', SECRET];
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*', connection: 'close' }).end(body);
  }

  #note(how: Hit['how'], socket: Duplex, text = ''): void {
    const { localAddress, localPort = 0 } = socket as Partial<AddressInfo> & { localAddress?: string; localPort?: number };
    this.#keep({
      mark: MARK.exec(text)?.[0].toLowerCase() ?? this.#marks.get(localPort),
      how,
      at: `${localAddress} ${localPort}`,
    });
  }

  #noteDatagram(message: Buffer, port: number): void {
    const mark = MARK.exec(message.toString('latin1'))?.[0].toLowerCase() ?? this.#marks.get(port);
    this.#keep({ mark, how: 'datagram', at: String(port) });
  }

  #keep(hit: Hit): void {
    this.hits.push(hit);
    if (hit.mark) this.#news.emit(hit.mark);
  }
}
