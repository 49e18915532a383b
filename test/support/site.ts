/** Sites of the test's own, on loopback: a table of answers in, and what was asked for out. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { constants, deflateRawSync } from 'node:zlib';
import { PIXEL } from './pixel.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** One request, as the server saw it. */
export interface Asked {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
}

/** HTTP on a port of its own. What the table does not name is answered 404. */
export class Site {
  /** By path, without the query. */
  readonly #answers: Record<string, Answer>;
  #others = status(404);
  readonly asked: Asked[] = [];
  /** Connections at this moment. */
  open = 0;
  /** The most WebSockets at one time since `forget`. */
  mostSockets = 0;
  #sockets = 0;
  readonly #server: Server;

  static async start(answers: Record<string, Answer> = {}, host = '127.0.0.1'): Promise<Site> {
    const site = new Site(answers);
    site.#server.listen(0, host);
    await once(site.#server, 'listening');
    return site;
  }

  private constructor(answers: Record<string, Answer>) {
    this.#answers = answers;
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#server.on('connection', (socket) => {
      this.open++;
      socket.on('close', () => this.open--);
    });
  }

  /** From now on, besides what it answers already. */
  serve(answers: Record<string, Answer>): void {
    Object.assign(this.#answers, answers);
  }

  /** What the table does not name, instead of 404. */
  serveOthers(answer: Answer): void {
    this.#others = answer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return this.as((this.#server.address() as AddressInfo).address);
  }

  /** The same site under another name. */
  as(host: string): string {
    return `http://${host}:${this.port}`;
  }

  /** Requests of one path, with whatever query. */
  askedFor(path: string): Asked[] {
    return this.asked.filter((asked) => pathOf(asked.path) === path);
  }

  forget(): void {
    this.asked.length = 0;
    this.mostSockets = this.#sockets;
  }

  /** Resolves when whatever was sent to the site before has been taken notice of. */
  async caughtUp(): Promise<void> {
    await fetch(`${this.origin}/caught-up`, { headers: { connection: 'close' } });
  }

  /** WebSockets stay open from now on, and never say anything; not even what they should say at first. */
  holdSockets(): void {
    this.#server.on('upgrade', (request, socket) => {
      this.#note(request);
      this.mostSockets = Math.max(this.mostSockets, ++this.#sockets);
      socket
        .on('close', () => this.#sockets--)
        .on('error', () => socket.destroy())
        .on('end', () => socket.end())
        .resume();
    });
  }

  close(): void {
    this.#server.close().closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.#note(request);
    const answer = this.#answers[pathOf(request.url ?? '')] ?? this.#others;
    answer(request, response);
  }

  #note({ method = '', url = '', headers }: IncomingMessage): void {
    this.asked.push({ method, path: url, headers });
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

/** With a page that says so. */
export function status(code: number): Answer {
  return (_request, response) => void response.writeHead(code, { 'content-type': 'text/html' }).end(`<p>status ${code}</p>`);
}

export function redirect(to: string, code = 302): Answer {
  return (_request, response) => void response.writeHead(code, { location: to }).end();
}

/** Takes the request and says nothing. */
export const never: Answer = () => {};

/** The beginning, and then the same again and again, as fast as it is taken. */
export function endless(type: string, beginning: string, again: Buffer): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': type }).write(beginning);
    pour(response, again);
  };
}

/** Little that comes, and much more once it is unpacked: the same again, so many times or, without a number, for ever. */
export function bomb(type: string, beginning: string | Buffer, again: Buffer, times?: number): Answer {
  const start = Buffer.concat([GZIP_HEADER, deflated(Buffer.from(beginning))]);
  const piece = deflated(again);
  const rest = times && Buffer.concat([...Array.from({ length: times }, () => piece), deflateRawSync(''), Buffer.alloc(8)]);
  return (_request, response) => {
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip', 'access-control-allow-origin': '*' });
    response.write(start);
    if (rest) response.end(rest);
    else pour(response, Buffer.concat(Array.from({ length: 64 }, () => piece)));
  };
}

const GZIP_HEADER = Buffer.from('1f8b0800000000000003', 'hex');

/** To be followed by more. */
function deflated(data: Buffer): Buffer {
  return deflateRawSync(data, { finishFlush: constants.Z_FULL_FLUSH });
}

function pour(response: ServerResponse, again: Buffer): void {
  while (!response.destroyed && response.write(again));
  response.once('drain', () => pour(response, again));
}

/** The beginning, and then a byte from time to time, for ever. */
export function trickle(type: string, beginning: string | Buffer, everyMs = 50): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': type }).write(beginning);
    const timer = setInterval(() => response.write(' '), everyMs);
    response.on('close', () => clearInterval(timer));
  };
}

/** A server that speaks as it likes: the bytes of its answers, by path. */
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
