/** A playground visitor without a key, at a separate IP address. */
import { Agent, fetch as send } from 'undici';
import { eventually } from './service.ts';

export interface Visitor {
  /** Makes the first request, which starts the playground's browser and may time out on a slow machine. */
  wakeUp(): Promise<void>;
  pdf(body: unknown, headers?: Record<string, string>): Promise<Response>;
  leave(): Promise<void>;
}

/** `address` is an address of this machine, such as 127.0.0.7. */
export function visitorAt(url: string, address?: string): Visitor {
  const dispatcher = new Agent({ ...(address && { localAddress: address }), connections: 64 });
  const pdf: Visitor['pdf'] = async (body, headers = {}) => {
    const raw = typeof body === 'string';
    const reply = await send(`${url}/v1/playground/pdf`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: raw ? body : JSON.stringify(body),
      dispatcher,
    });
    return reply as unknown as Response;
  };
  return {
    pdf,
    wakeUp: () => eventually('a visitor is served', async () => (await pdf({ html: 'x' })).ok, 60_000),
    leave: () => dispatcher.destroy(),
  };
}
