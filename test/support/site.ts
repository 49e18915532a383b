/** Web sites for tests on loopback: a table of answers in, the received requests out. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { constants, deflateRawSync } from 'node:zlib';
import { LocalServer } from './local-server.ts';
import { PIXEL } from './pixel.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A request as the server received it. */
export interface SiteRequest {
  method: string;
  /** The path with its query. */
  path: string;
  headers: IncomingHttpHeaders;
}

/** An HTTP server on its own port. Paths that are not in the table get 404. */
export class Site extends LocalServer {
  /** The answers by path, without the query. */
  readonly #answers: Record<string, Answer>;
  #others = status(404);
  readonly requests: SiteRequest[] = [];
  /** The number of open connections. */
  openConnections = 0;
  /** The maximum number of simultaneous WebSockets since `forget`. */
  maxSockets = 0;
  #sockets = 0;

  static async start(answers: Record<string, Answer> = {}, host = '127.0.0.1'): Promise<Site> {
    return await new Site(answers).listen(host);
  }

  private constructor(answers: Record<string, Answer>) {
    super(createServer((request, response) => this.#answer(request, response)));
    this.#answers = answers;
    this.server.on('connection', (socket) => {
      this.openConnections++;
      socket.on('close', () => this.openConnections--);
    });
  }

  /** Adds answers to the table. */
  serve(answers: Record<string, Answer>): void {
    Object.assign(this.#answers, answers);
  }

  /** Sets the answer for paths that are not in the table. */
  serveOthers(answer: Answer): void {
    this.#others = answer;
  }

  /** Returns the URL of the site under another host name. */
  as(host: string): string {
    return `http://${host}:${this.port}`;
  }

  /** Returns the requests of a path, with any query. */
  requestsFor(path: string): SiteRequest[] {
    return this.requests.filter((request) => pathOf(request.path) === path);
  }

  forget(): void {
    this.requests.length = 0;
    this.maxSockets = this.#sockets;
  }

  /** Resolves when all requests sent to the site before have been recorded. */
  async allRecorded(): Promise<void> {
    await fetch(`${this.origin}/caught-up`, { headers: { connection: 'close' } });
  }

  /** Accepts WebSocket connections and keeps them open without ever answering, not even the handshake. */
  holdSockets(): void {
    this.server.on('upgrade', (request, socket) => {
      this.#note(request);
      this.maxSockets = Math.max(this.maxSockets, ++this.#sockets);
      socket
        .on('close', () => this.#sockets--)
        .on('error', () => socket.destroy())
        .on('end', () => socket.end())
        .resume();
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.#note(request);
    const answer = this.#answers[pathOf(request.url ?? '')] ?? this.#others;
    answer(request, response);
  }

  #note({ method = '', url = '', headers }: IncomingMessage): void {
    this.requests.push({ method, path: url, headers });
  }
}

function pathOf(path: string): string {
  return path.split('?')[0] ?? '';
}

export function send(type: string, body: string | Buffer, headers: Record<string, string | string[]> = {}): Answer {
  return (_request, response) => void response.writeHead(200, { 'content-type': type, ...headers }).end(body);
}

export function html(body: string | Buffer, headers?: Record<string, string | string[]>): Answer {
  return send('text/html; charset=utf-8', body, headers);
}

export const image: Answer = send('image/png', PIXEL);

/** Answers with a status and a page that names it. */
export function status(code: number): Answer {
  return (_request, response) => void response.writeHead(code, { 'content-type': 'text/html' }).end(`<p>status ${code}</p>`);
}

export function redirect(to: string, code = 302): Answer {
  return (_request, response) => void response.writeHead(code, { location: to }).end();
}

/** Accepts the request and never answers. */
export const never: Answer = () => {};

/** Sends the beginning and then the same bytes again and again, as fast as the client reads. */
export function endless(type: string, beginning: string, repeated: Buffer): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': type }).write(beginning);
    pour(response, repeated);
  };
}

/**
 * Sends a small compressed body that is large when decompressed: `again` is repeated `times` times, or endlessly without a
 * number.
 */
export function bomb(type: string, beginning: string | Buffer, repeated: Buffer, times?: number): Answer {
  const start = Buffer.concat([GZIP_HEADER, deflated(Buffer.from(beginning))]);
  const piece = deflated(repeated);
  const rest = times && Buffer.concat([...Array.from({ length: times }, () => piece), deflateRawSync(''), Buffer.alloc(8)]);
  return (_request, response) => {
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip', 'access-control-allow-origin': '*' });
    response.write(start);
    if (rest) response.end(rest);
    else pour(response, Buffer.concat(Array.from({ length: 64 }, () => piece)));
  };
}

const GZIP_HEADER = Buffer.from('1f8b0800000000000003', 'hex');

/** Compresses data so that more can follow. */
function deflated(data: Buffer): Buffer {
  return deflateRawSync(data, { finishFlush: constants.Z_FULL_FLUSH });
}

function pour(response: ServerResponse, repeated: Buffer): void {
  while (!response.destroyed && response.write(repeated));
  response.once('drain', () => pour(response, repeated));
}

/** Sends the beginning and then one byte at each interval, endlessly. */
export function trickle(type: string, beginning: string | Buffer, everyMs = 50): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': type }).write(beginning);
    const timer = setInterval(() => response.write(' '), everyMs);
    response.on('close', () => clearInterval(timer));
  };
}

/** A TCP server that sends arbitrary bytes as its answers, by path. */
export class RawSite {
  readonly #server: TcpServer;
  readonly #sockets = new Set<Socket>();

  static async start(answers: Record<string, (socket: Socket) => void>): Promise<RawSite> {
    const site = new RawSite(answers);
    site.#server.listen(0, '127.0.0.1');
    await once(site.#server, 'listening');
    return site;
  }

  private constructor(answers: Record<string, (socket: Socket) => void>) {
    this.#server = createTcpServer((socket) => {
      this.#sockets.add(socket.on('close', () => this.#sockets.delete(socket)).on('error', () => socket.destroy()));
      socket.once('data', (head) => {
        const path = / (\S+) /.exec(head.toString('latin1'))?.[1] ?? '';
        const answer = answers[path];
        if (answer) answer(socket);
        else socket.destroy();
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
