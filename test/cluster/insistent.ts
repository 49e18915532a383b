/** A caller that repeats a request until it gets a reply, as our clients do: with the same `Idempotency-Key`, for a limited time. */
import { expect } from 'vitest';
import type { Client } from '../support/client.ts';

export interface Reply {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** A killed node may have claimed the request. Its claim ends with its lease. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 250;
const PASSING = [409, 429, 502, 503, 504];

export class Insistent {
  /** How often there was no reply, or one that asks to try again. */
  repeated = 0;
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const reply = await this.#once(method, path, body, headers).catch((error: Error) => error);
      if (!(reply instanceof Error) && !isPassing(reply)) return reply;
      if (Date.now() > end) throw reply instanceof Error ? reply : new Error(`${reply.status}: ${reply.bytes}`);
      this.repeated++;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** Returns the body of the reply. Throws unless it has this status. */
  async json<T>(expected: number, ...request: Parameters<Insistent['send']>): Promise<T> {
    const { status, bytes } = await this.send(...request);
    expect(status, `${bytes.subarray(0, 500)}`).toBe(expected);
    return JSON.parse(`${bytes}`) as T;
  }

  async #once(...args: Parameters<Client['send']>): Promise<Reply> {
    const response = await this.#client.send(...args);
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  }
}

/** A 409 means that an earlier attempt is still running. */
function isPassing({ status, bytes }: Reply): boolean {
  if (!PASSING.includes(status)) return false;
  return status !== 409 || bytes.includes('"idempotency_running"');
}
