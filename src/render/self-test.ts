/**
 * Tests each browser before it serves requests: documents must reach the network only through the proxy and read no files, and the
 * memory of pages must be measurable, because otherwise nothing would limit it. This detects a command-line switch that a new
 * version of the browser has renamed.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Browser } from '../chromium/browser.ts';
import { DEFAULT_LOAD, type LoadSettings } from '../chromium/load/load-settings.ts';
import type { Page } from '../chromium/page.ts';
import { printOnce } from '../chromium/print-once.ts';
import { Deadline } from '../deadline.ts';
import type { OutboundPolicy } from '../egress/policy.ts';
import { ServiceError } from '../errors.ts';
import { parseRenderRequest } from './request/render-request.ts';
import { namingOption } from './steps/name-option.ts';

/** Blocks ports of this process, so that no setting can allow documents to reach them. */
type Protector = Pick<OutboundPolicy, 'protect' | 'unprotect'>;

const TIMEOUT_MS = 10_000;
const POLL_MS = 50;
const MAX_PROCESS_WAIT_MS = 5_000;
/** Reserved addresses (RFC 5737, RFC 6761). A probe requests one through the proxy to signal what it found. */
const FILE_WAS_READ = '192.0.2.1';
const METADATA = '169.254.169.254';
const NAME = 'self-test.invalid';

/** Resolves if all probes were blocked. Otherwise throws `browser_unavailable`, naming what got through or what the proxy never saw. */
export async function runEgressSelfTest(browser: Browser, policy: Protector): Promise<void> {
  const canary = await startCanary(policy);
  const folder = await mkdtemp(join(tmpdir(), `platen-browser-${process.pid}-`)); // the next start removes folders with such a name after a crash
  try {
    const file = join(folder, 'secret.html');
    await writeFile(file, `<img src="http://${FILE_WAS_READ}/">`);
    const html = probes(canary, pathToFileURL(file).href);
    const refused = await Promise.race([attempt(browser, html), canary.hit]);
    if (refused.includes(`${FILE_WAS_READ}:80`)) throw leaking('read a file');
    const missing = expectedHosts(canary.port).filter((host) => !refused.includes(host));
    if (missing.length) throw leaking(`sent no request for ${missing.join(', ')} to the proxy and may have bypassed it`);
  } finally {
    await canary.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Renders the probes with a proxy listener that refuses everything. Returns the hosts that were requested. */
async function attempt(browser: Browser, html: string): Promise<string[]> {
  const { print } = parseRenderRequest({ html }, { renderTimeoutMs: TIMEOUT_MS, maxRenderTimeoutMs: TIMEOUT_MS });
  const load: LoadSettings = { ...DEFAULT_LOAD, waitUntil: 'load', offline: true, waitForFunction: 'globalThis.probed === true' };
  using deadline = new Deadline(TIMEOUT_MS);
  const page = await browser.openPage();
  try {
    await processVisible(page);
    const printed = printOnce(page, { content: { kind: 'html', html, baseUrl: undefined }, load, print }, deadline);
    const { network } = await namingOption(printed);
    return network.refused;
  } finally {
    await page.close();
  }
}

/** Waits for the process of the page, which may start after the page on a busy machine. Throws if it does not appear. */
async function processVisible(page: Page): Promise<void> {
  const until = performance.now() + MAX_PROCESS_WAIT_MS;
  while (!page.memoryBytes) {
    if (performance.now() > until || !page.alive) throw unseen();
    await delay(POLL_MS);
  }
}

/** The hosts that the probes request through the proxy if isolation works. */
function expectedHosts(port: number): string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `${METADATA}:80`, `${NAME}:80`];
}

function probes({ port, datagramPort }: { port: number; datagramPort: number }, file: string): string {
  const local = `127.0.0.1:${port}`;
  return `<!doctype html>
<link rel="prefetch" href="http://${local}/prefetch">
<script type="speculationrules">{"prefetch": [{"urls": ["http://${local}/speculation"]}]}</script>
<img src="http://${local}/image"><img src="http://[::1]:${port}/image"><img src="http://${NAME}/image">
<iframe src="http://localhost:${port}/frame"></iframe><iframe src="${file}"></iframe><object data="${file}"></object>
<script>
const outcome = (start) => new Promise((resolve) => { try { start(resolve) } catch { resolve() } });
const socket = (resolve) => { const s = new WebSocket('ws://${local}/socket'); s.onopen = s.onclose = resolve };
const worker = (resolve) => {
  const source = 'const s = new WebSocket("ws://${local}/worker"); s.onopen = s.onclose = () => postMessage(0)';
  const w = new Worker(URL.createObjectURL(new Blob([source])));
  w.onmessage = w.onerror = resolve;
};
const peer = (resolve) => {
  const p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${datagramPort}' }, { urls: 'turn:${local}?transport=tcp', username: 'x', credential: 'x' }] });
  p.createDataChannel('x');
  p.onicegatheringstatechange = () => p.iceGatheringState === 'complete' && resolve();
  p.createOffer().then((offer) => p.setLocalDescription(offer)).catch(resolve);
};
const ask = (url) => (resolve) => fetch(url, { mode: 'no-cors' }).then(resolve, resolve);
try { open('http://${local}/popup') } catch {}
try { navigator.sendBeacon('http://${local}/beacon', 'x') } catch {}
Promise.all([socket, worker, peer, ask('http://${METADATA}/'), ask('http://${local}/fetch')].map(outcome)).then(() => { globalThis.probed = true });
</script>`;
}

/** Listens on a TCP port (of both loopback addresses) and a UDP port that no document may reach. `hit` rejects if data arrives. */
async function startCanary(policy: Protector) {
  const { promise: hit, reject } = Promise.withResolvers<never>();
  hit.catch(() => {}); // awaited while the probes run
  const note = (what: string) => reject(leaking(`reached a ${what} port of this machine`));
  const accept = (socket: Socket) => {
    note('TCP');
    socket.destroy();
  };
  const server = createServer(accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  policy.protect(port);
  const sixth = createServer(accept);
  const datagrams = createSocket('udp4', () => note('UDP'));
  await once(datagrams.bind(0, '127.0.0.1'), 'listening');
  const close = async () => {
    policy.unprotect(port);
    datagrams.close();
    sixth.close();
    server.close();
  };
  // Without IPv6, listening fails and there is no such address to reach.
  await Promise.race([once(sixth.listen(port, '::1'), 'listening'), once(sixth, 'error')]).catch(() => {});
  return { port, datagramPort: datagrams.address().port, hit, close };
}

function leaking(what: string): ServiceError {
  const remedy = 'Use the bundled browser, or another version, and report this one';
  return new ServiceError('browser_unavailable', `the browser failed its self-test: a document ${what}. ${remedy}.`);
}

function unseen(): ServiceError {
  const what =
    'the browser failed its self-test: the process of a page was not found among those of the browser, so the memory of pages could not be limited';
  const remedy =
    'Start the browser itself, or a script that ends with `exec`; it must stay a descendant of the service, and /proc must show its processes (no hidepid)';
  return new ServiceError('browser_unavailable', `${what}. ${remedy}.`);
}
