/** A webhook receiver on loopback: it records requests and sends configured replies. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { LocalServer } from './local-server.ts';

export interface WebhookRequest {
  headers: Record<string, string>;
  path: string;
  body: string;
  bytes: Buffer;
  /** Milliseconds since 1970. */
  at: number;
}

/** Answers a request, given the number of earlier requests. Default: 204. */
type Answer = (response: ServerResponse, before: number) => void;

export class Receiver extends LocalServer {
  readonly received: WebhookRequest[] = [];
  answer: Answer = (response) => response.writeHead(204).end();
  /** The number of unanswered requests. */
  open = 0;
  maxOpen = 0;

  static async start(answer?: Answer, tls?: { key: string; cert: string }): Promise<Receiver> {
    const receiver = new Receiver(tls);
    if (answer) receiver.answer = answer;
    return await receiver.listen();
  }

  private constructor(tls?: { key: string; cert: string }) {
    const listener: RequestListener = (request, response) => void this.#take(request, response);
    super(tls ? createTlsServer(tls, listener) : createServer(listener));
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `http://${this.address}/hook`;
  }

  get ids(): string[] {
    return this.received.map(({ headers }) => headers['webhook-id'] ?? '');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open++;
    this.maxOpen = Math.max(this.open, this.maxOpen);
    response.on('close', () => this.open--);
    const bytes = await buffer(request).catch(() => undefined);
    if (!bytes) return; // its sender was killed
    const before = this.received.length;
    this.received.push({
      headers: request.headers as Record<string, string>,
      path: `${request.method} ${request.url}`,
      body: bytes.toString(),
      bytes,
      at: Date.now(),
    });
    this.answer(response, before);
  }
}

/** Returns the event if the public library accepts the signature of this secret; throws otherwise. */
export function verified({ body, headers }: WebhookRequest, secret: string): { type: string; timestamp: string; data: object } {
  return new Webhook(secret).verify(body, headers) as { type: string; timestamp: string; data: object };
}
