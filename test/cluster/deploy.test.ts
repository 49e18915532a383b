/** Checks the files of deploy/ against the schemas of Kubernetes, the Compose Specification and HAProxy itself. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../support/close-after-all.ts';
import { freePort } from '../support/free-port.ts';
import { end, eventually } from '../support/service.ts';

const run = promisify(execFile);
const DEPLOY = new URL('../../deploy', import.meta.url).pathname;
const COMPOSE_FILE = new URL('compose-file', import.meta.url).pathname;
/** The variables that `compose.yaml` requires from the operator. */
const ANSWERS = { POSTGRES_PASSWORD: 'a', S3_ACCESS_KEY: 'b', S3_SECRET_KEY: 'c', GRAFANA_PASSWORD: 'd' };

interface Verdict {
  resources: Array<{ kind: string; status: string; msg: string }>;
  summary: { valid: number; invalid: number; errors: number; skipped: number };
}

async function conforms(manifests: string, version: string): Promise<Verdict> {
  const schemas = `${process.env.PLATEN_TEST_KUBERNETES_SCHEMAS}/{{ .NormalizedKubernetesVersion }}-local{{ .StrictSuffix }}`;
  const location = `${schemas}/{{ .ResourceKind }}{{ .KindSuffix }}.json`;
  const options = ['-strict', '-output', 'json', '-verbose', '-summary', '-kubernetes-version', version];
  const { stdout } = await run('kubeconform', [...options, '-schema-location', location, manifests]).catch((error) => error);
  return JSON.parse(stdout);
}

/** Returns a copy of `deploy/` in which a text in one file is replaced. */
async function changed(name: string, from: string, to: string) {
  const folder = await makeTestFolder('deploy');
  await cp(DEPLOY, folder, { recursive: true });
  const text = await readFile(join(folder, name), 'utf8');
  expect(text).toContain(from);
  await writeFile(join(folder, name), text.replace(from, to));
  return join(folder, name);
}

const MANIFESTS = 'kubernetes/platen.yaml';

test.each(['1.30.0', '1.37.0'])('the manifests are those of Kubernetes %s', async (version) => {
  const { resources, summary } = await conforms(join(DEPLOY, MANIFESTS), version);
  expect(resources.filter(({ status }) => status !== 'statusValid')).toEqual([]);
  expect(summary).toEqual({ valid: 6, invalid: 0, errors: 0, skipped: 0 });
});

test.each([
  ['a field that there is not', 'maxSurge: 1', 'maximalSurge: 1', "'maximalSurge' not allowed"],
  ['a value of another type', 'containerPort: 3000', 'containerPort: "http"', 'got string, want integer'],
])('the check of the manifests finds %s', async (_what, from, to, message) => {
  const manifests = await changed(MANIFESTS, from, to);
  const { resources } = await conforms(manifests, '1.37.0');
  const refused = resources.filter(({ status }) => status !== 'statusValid');
  expect(refused).toEqual([expect.objectContaining({ kind: 'Deployment', msg: expect.stringContaining(message) })]);
});

const readCompose = (path: string, env: Record<string, string> = ANSWERS) =>
  run('go', ['run', '.', path], { cwd: COMPOSE_FILE, env: { ...process.env, ...env } });

test('the compose file is one', async () => {
  await readCompose(join(DEPLOY, 'compose.yaml'));
});

test.each([
  ['a member that there is not', 'restart: unless-stopped', 'restarts: unless-stopped', "'restarts' not allowed"],
  ['a service that there is not', '[node1, node2]', '[node1, node3]', 'depends on undefined service "node3"'],
  ['a volume that there is not', '\n  cache2:\n', '\n', 'undefined volume cache2'],
  ['a port that is none', '"8080:8080"', '"8080:http"', 'Invalid containerPort: http'],
])('the check of the compose file finds %s', async (_what, from, to, message) => {
  const compose = await changed('compose.yaml', from, to);
  await expect(readCompose(compose)).rejects.toThrow(message);
});

test('the compose file asks for its passwords', async () => {
  const started = readCompose(join(DEPLOY, 'compose.yaml'), { ...ANSWERS, GRAFANA_PASSWORD: '' });
  await expect(started).rejects.toThrow('required variable GRAFANA_PASSWORD is missing a value');
});

/** A warning is an error, such as that for a missing time-out. */
const checkBalancer = (path: string) => run('haproxy', ['-c', '-dW', '-f', path]);

test('HAProxy takes its file, and finds what is wrong in it', async () => {
  await checkBalancer(join(DEPLOY, 'haproxy.cfg'));
  const wrong = await changed('haproxy.cfg', 'retry-on conn-failure 503', 'retry-on conn-failure 5xx');
  await expect(checkBalancer(wrong)).rejects.toThrow("unknown keyword '5xx'");
});

test('HAProxy takes the example of the documentation, with its time-outs', async () => {
  const guide = await readFile(new URL('../../docs/operate/several-nodes.md', import.meta.url), 'utf8');
  const [, example = ''] = /^```haproxy\n(.*?)^```/ms.exec(guide) ?? [];
  const folder = await makeTestFolder('balancer');
  const path = join(folder, 'example.cfg');
  await writeFile(path, example);
  await checkBalancer(path);
  await writeFile(path, example.replace(/^ *timeout .*\n/gm, ''));
  await expect(checkBalancer(path)).rejects.toThrow('timeout');
});

/** The file with other addresses, and without the resolver of Docker. */
async function balancerFor(servers: Array<{ port: number }>) {
  const port = await freePort();
  const text = (await readFile(join(DEPLOY, 'haproxy.cfg'), 'utf8'))
    .replace(':8080', `127.0.0.1:${port}`)
    .replace(' resolvers docker init-addr none', '')
    .replace(/^resolvers docker\n.*\n/m, '')
    .replace(/^ {2}server .*\n/gm, '')
    .replace(
      /^ {2}default-server.*\n/m,
      (line) => line + servers.map((node, n) => `  server node${n} 127.0.0.1:${node.port}\n`).join(''),
    );
  const folder = await makeTestFolder('deploy');
  await writeFile(join(folder, 'haproxy.cfg'), text);
  const child = spawn('haproxy', ['-f', join(folder, 'haproxy.cfg'), '-db', '-q'], { stdio: 'ignore' });
  return {
    port,
    async [Symbol.asyncDispose]() {
      await end(child, 'SIGKILL');
    },
  };
}

/** A node that answers each POST with the given status, and counts them. */
async function nodeOf(status: number) {
  const addresses: unknown[] = [];
  const server = createServer((request, reply) => {
    if (request.method === 'POST') addresses.push(request.headers['x-forwarded-for']);
    request.resume();
    reply.writeHead(request.method === 'POST' ? status : 200).end();
  });
  server.on('checkContinue', (request, reply) => server.emit('request', request, reply)); // a node refuses without asking for the body
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    ...{ addresses, port: (server.address() as AddressInfo).port },
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  };
}

test('HAProxy sends what a draining node refuses to another one, even if the body follows its head, and tells who has sent it', async () => {
  await using draining = await nodeOf(503);
  await using ready = await nodeOf(201);
  await using balancer = await balancerFor([draining, ready]);
  const send = async () => {
    const request = httpRequest({
      ...{ port: balancer.port, method: 'POST', agent: false },
      headers: { expect: '100-continue' },
    });
    request.on('continue', () => request.end('the body'));
    request.flushHeaders();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    request.end();
    response.resume();
    return response.statusCode;
  };
  await eventually('the balancer answers', () =>
    send().then(
      () => true,
      () => false,
    ),
  );
  for (let n = 0; n < 4; n++) expect(await send()).toBe(201);
  expect(draining.addresses.length).toBeGreaterThan(0);
  expect(ready.addresses).toEqual(ready.addresses.map(() => '127.0.0.1'));
});
