/** PgBouncer in front of a PostgreSQL server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { end, eventually } from '../support/service.ts';
import { ordinaryUser } from './postgres-server.ts';

interface PgBouncer {
  /** The same database, through the pooler. */
  urlOf(url: string): string;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startPgBouncer(serverPort: number, mode: 'session' | 'transaction'): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-pgbouncer-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const settings = [
    ...['[databases]', `* = host=127.0.0.1 port=${serverPort} user=platen`],
    ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
    ...['auth_type = any', `pool_mode = ${mode}`],
  ];
  await writeFile(join(folder, 'pgbouncer.ini'), settings.join('\n'));
  const child = spawn('pgbouncer', ['-q', join(folder, 'pgbouncer.ini')], { ...(await ordinaryUser()), stdio: 'ignore' });
  await once(child, 'spawn');
  await eventually('PgBouncer answers', () => isOpen(port));
  return {
    urlOf(url) {
      const through = new URL(url);
      through.port = `${port}`;
      return through.href;
    },
    async [Symbol.asyncDispose]() {
      await end(child, 'SIGQUIT');
      await rm(folder, { recursive: true });
    },
  };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return opened;
}
