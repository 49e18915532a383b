/** Somebody without a key, at an address of their own: what they send to the playground. */
import { Agent, fetch as send } from 'undici';

export interface Visitor {
  pdf(body: unknown, headers?: Record<string, string>): Promise<Response>;
  leave(): Promise<void>;
}

/** `address` is one of this machine, such as 127.0.0.7. */
export function visitorAt(url: string, address?: string): Visitor {
  const dispatcher = new Agent({ connect: address ? { localAddress: address } : {}, connections: 64 });
  return {
    async pdf(body, headers = {}) {
      const raw = typeof body === 'string';
      const reply = await send(`${url}/v1/playground/pdf`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: raw ? body : JSON.stringify(body),
        dispatcher,
      });
      return reply as unknown as Response;
    },
    leave: () => dispatcher.destroy(),
  };
}
