/**
 * Connects the service itself to a URL: the name is resolved once, and the socket leads to an address that the policy has
 * admitted.
 */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type OutboundPolicy, RefusedError } from './policy.ts';

/** The server has no valid certificate for this name, or does not support TLS. */
export class UntrustedServerError extends Error {
  override name = 'UntrustedServerError';
}

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects, with TLS if the URL says so. `signal` ends the connection while it is made and afterwards. Throws `RefusedError`,
 * `UntrustedServerError` and the reason of the signal.
 */
export async function connectTo(policy: OutboundPolicy, url: URL, signal: AbortSignal): Promise<Socket> {
  const secure = url.protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  for (const address of await policy.admit(url.hostname, port)) {
    signal.throwIfAborted();
    const socket = await openSocket(address, port, signal);
    if (socket) return secure ? openTls(socket, url.hostname.replace(/^\[(.*)\]$/, '$1')) : socket;
  }
  signal.throwIfAborted();
  throw new RefusedError('no address of the host accepts connections', { netError: 'ERR_CONNECTION_FAILED' });
}

async function openSocket(host: string, port: number, signal: AbortSignal): Promise<Socket | undefined> {
  const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS, signal });
  socket.on('error', () => socket.destroy());
  const late = () => socket.destroy();
  socket.once('timeout', late);
  if (!(await connects(socket))) return undefined;
  socket.off('timeout', late).setTimeout(0);
  return socket;
}

/** Whether the socket connects. It must be destroyed if an error occurs. */
export function connects(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true));
  socket.once('close', () => resolve(false));
  return promise;
}

/** The certificate is checked against the name. SNI must not be sent if the host is an IP address. */
async function openTls(socket: Socket, host: string): Promise<Socket> {
  const tls = connectTls({
    socket,
    host,
    ...(!isIP(host) && { servername: host }),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  tls.on('error', (error) => reject(new UntrustedServerError('no encrypted connection could be made', { cause: error })));
  tls.once('close', () => reject(new UntrustedServerError('the connection was closed')));
  tls.once('secureConnect', () => resolve(tls));
  return promise.catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
}
