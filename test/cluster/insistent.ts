/** A caller that repeats a request until it has its reply, as our clients do: with the same `Idempotency-Key`, for a limited time. */
import { expect } from 'vitest';
import type { Client } from '../support/client.ts';

export interface Reply {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** A node that was killed may have been at it: its claim ends with its lease. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 250;
const PASSING = [409, 429, 502, 503, 504];

export class Insistent {
  /** How often a reply did not come, or told to come again. */
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

  /** The body of a reply that has to have this status. */
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

/** A 409 is one of a request that still runs. */
function isPassing({ status, bytes }: Reply): boolean {
  if (!PASSING.includes(status)) return false;
  return status !== 409 || bytes.includes('"idempotency_running"');
}
