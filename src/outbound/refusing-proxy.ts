/**
 * The egress proxy every browser is bound to. For now the policy is: nothing. Documents live on what they carry
 * (`data:` and `blob:` URLs); every request for anything else ends here and is answered 403.
 */
import { createServer, type Server, type Socket } from 'node:net';

const REFUSAL = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
const IDLE_MS = 5_000;

export interface EgressProxy {
  /** What to hand to `--proxy-server`. */
  readonly url: string;
  /** Requests refused so far. */
  readonly refused: number;
  close(): Promise<void>;
}

/** Starts the proxy on a free loopback port. */
export async function startRefusingProxy(): Promise<EgressProxy> {
  let refused = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.once('data', () => {
      refused++;
      socket.end(REFUSAL);
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  server.unref();
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the egress proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    get refused() {
      return refused;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
