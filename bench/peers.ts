/**
 * How fast is the service beside others on the same machine? Four clients render the same documents with each in turn. Then it
 * measures how the processor time of the service grows. `npm run docs` writes `docs/operate/benchmarks.md` from the result.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { measureGrowth } from './costs.ts';
import { invoice, letter, scriptedInvoice } from './documents.ts';
import { alternate, type Figures, median, type Row, runClosedLoop } from './measure.ts';
import { startService } from './service.ts';

const CLIENTS = 4;
const SECONDS = 3;
const DOCUMENTS = {
  'invoice, 1 page': invoice(20),
  'invoice with a script, 1 page': scriptedInvoice(20),
  'invoice, 16 pages': invoice(580),
  'letter, 1 page': letter(),
};

export interface Peer {
  name: string;
  version: string;
  render(html: string): Promise<Uint8Array>;
}

/** The service, which takes other members of the body as well. */
interface Platen extends Peer {
  render(html: string, body?: object): Promise<Uint8Array>;
}

/** The peers, which are left out unless their URL or command is given. */
export interface PeerOptions {
  gotenberg?: string | undefined;
  jsreport?: string | undefined;
  weasyprint?: string | undefined;
}

export async function* measurePeers({ rounds, ...options }: PeerOptions & { rounds: number }): AsyncGenerator<Row> {
  yield* comparePeers(options, rounds);
  yield* measureGrowth(rounds);
}

async function* comparePeers(options: PeerOptions, rounds: number): AsyncGenerator<Row> {
  await using service = await startService(1, { PLATEN_PLAYGROUND: 'off' });
  const peers = [await openPlaten(service.url, service.keys[0] ?? ''), ...(await openPeers(options))];
  for (const { name, version } of peers) yield { measure: name, value: version, figures: { peer: name, version } };
  for (const [document, html] of Object.entries(DOCUMENTS)) {
    const ways = peers.map(({ name, render }) => [name, () => runClosedLoop(CLIENTS, SECONDS, () => render(html))]);
    for (const { render } of peers) await render(html); // the first render of each kind is slower
    const results = await alternate<string, Figures>(rounds, Object.fromEntries(ways));
    for (const [peer, figures] of Object.entries(results)) yield describe(document, peer, figures);
  }
}

function describe(document: string, peer: string, rounds: Figures[]): Row {
  const middle = (name: keyof Figures) => median(rounds.map((round) => round[name]));
  const [perSecond, p50Ms, p99Ms] = [middle('perSecond'), middle('p50Ms'), middle('p99Ms')];
  const renders = rounds.reduce((sum, round) => sum + round.renders, 0);
  const value = `${perSecond.toFixed(1)} a second, p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms (${renders} renders)`;
  const figures = { document, peer, perSecond, p50Ms, p99Ms, renders, rounds: rounds.length, clients: CLIENTS, seconds: SECONDS };
  return { measure: `${document}: ${peer}`, value, figures };
}

/** Opens the peers that are given, which must run and be ready. */
export async function openPeers({ gotenberg, jsreport, weasyprint }: PeerOptions): Promise<Peer[]> {
  return [
    ...(gotenberg === undefined ? [] : [await openGotenberg(gotenberg)]),
    ...(jsreport === undefined ? [] : [await openJsreport(jsreport)]),
    ...(weasyprint === undefined ? [] : [await openWeasyPrint(weasyprint)]),
  ];
}

export async function openPlaten(url: string, key: string): Promise<Platen> {
  const info = /^platen_build_info\{(.*)\}/m.exec(`${await request(`${url}/metrics`)}`)?.[1] ?? '';
  const version = Object.fromEntries([...info.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]));
  return {
    ...{ name: 'Platen', version: `${version.version}, ${version.browser}, Node ${version.node}` },
    render: (html, body) => request(`${url}/v1/pdf`, asJson({ html, ...body }, { authorization: `Bearer ${key}` })),
  };
}

/** The paper is that of Platen and WeasyPrint, A4. */
async function openGotenberg(url: string): Promise<Peer> {
  const version = `${await request(new URL('/version', url))}`;
  const render = (html: string) => {
    const body = new FormData();
    body.append('files', new Blob([html], { type: 'text/html' }), 'index.html');
    for (const [name, value] of Object.entries({ paperWidth: '210mm', paperHeight: '297mm', printBackground: 'true' }))
      body.append(name, value);
    return request(new URL('/forms/chromium/convert/html', url), { method: 'POST', body });
  };
  return { name: 'Gotenberg', version, render };
}

async function openJsreport(url: string): Promise<Peer> {
  const chrome = { format: 'A4', printBackground: true };
  return {
    ...{ name: 'jsreport', version: `${await request(new URL('/api/version', url))}` },
    render: (content) =>
      request(new URL('/api/report', url), asJson({ template: { content, engine: 'none', recipe: 'chrome-pdf', chrome } })),
  };
}

/** WeasyPrint has no server, so each render starts its command. */
async function openWeasyPrint(command: string): Promise<Peer> {
  const version = `${await run(command, ['--version'])}`.replace('WeasyPrint version', '').trim();
  return { name: 'WeasyPrint', version, render: (html) => run(command, ['--quiet', '-', '-'], html) };
}

function asJson(body: object, headers = {}): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

async function request(url: URL | string, init?: RequestInit): Promise<Buffer> {
  const reply = await fetch(url, init);
  const bytes = Buffer.from(await reply.arrayBuffer());
  if (!reply.ok || (init && !bytes.subarray(0, 5).equals(Buffer.from('%PDF-'))))
    throw new Error(`${url}: ${reply.status} ${bytes}`);
  return bytes;
}

async function run(command: string, parameters: string[], input = ''): Promise<Buffer> {
  const child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'close');
  child.stdin.end(input);
  const output = await buffer(child.stdout);
  const [status] = await exit;
  if (status !== 0 || !output.length) throw new Error(`${command} ended with status ${status}`);
  return output;
}
