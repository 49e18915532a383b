/**
 * Finds a free port for servers that cannot choose and report one themselves. The system gives no such port to anybody who asks for
 * any, so it stays with its server while that is down, and what asks for the server then meets no other.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux gives by default: `net.ipv4.ip_local_port_range`. */
const [LOWEST, HIGHEST] = [10_000, 32_767];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await server[Symbol.asyncDispose]();
    return port;
  }
}
