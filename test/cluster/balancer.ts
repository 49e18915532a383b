/** HAProxy in front of several nodes, configured as an operator would: it skips nodes that are down and tries another one. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { end, eventually } from '../support/service.ts';

export interface Balancer {
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Sends a request that a node did not answer to another node. The `Idempotency-Key` of the request makes this safe. */
const RETRIED = 'conn-failure empty-response junk-response';

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-balancer-'));
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, configurationOf(port, ports));
  const child = spawn('haproxy', ['-f', file, '-db', '-q'], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await eventually('the balancer has found a node', async () => {
    if (child.exitCode !== null) throw new Error('haproxy has ended: apt-get install haproxy');
    return fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      await end(child, 'SIGKILL');
      await rm(folder, { recursive: true });
    },
  };
}

function configurationOf(port: number, nodes: readonly number[]): string {
  const servers = nodes.map((node, n) => `  server node${n} 127.0.0.1:${node} check`);
  return `
global
  tune.bufsize 131072
defaults
  mode http
  timeout connect 2s
  timeout client 150s
  timeout server 150s
  timeout queue 5s
  retries 3
  retry-on ${RETRIED}
  option redispatch 1
  option http-buffer-request
  option httpchk GET /healthz
  default-server inter 500ms fall 1 rise 1 on-marked-down shutdown-sessions
frontend callers
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
${servers.join('\n')}
`;
}
