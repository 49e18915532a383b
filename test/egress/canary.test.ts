/**
 * Documents that try to reach what they may not: none of them does. Each has a control, in which everything is allowed and it
 * does get there, so that no payload counts that never works.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { NameServer } from '../support/name-server.ts';
import { readPdf, readPdfReply } from '../support/read-pdf.ts';
import { type Service, startService } from '../support/service.ts';
import { addressPayloads } from './canary/addresses.ts';
import { AllowedSite, GREETING, type Hold } from './canary/allowed-site.ts';
import { Canary, SECRET } from './canary/canary.ts';
import { elementPayloads } from './canary/elements.ts';
import { documentOf, isNamedIn, type Payload, RACES } from './canary/payload.ts';
import { scriptPayloads } from './canary/scripts.ts';

const MIN_PAYLOADS = 80;
const PATIENCE_MS = 8_000;
/** Of a document that is to be seen reaching something. */
const VISITS = 3;
/** What a payload has for its attempt where nothing can tell that it was made. */
const CHANCE_MS = 1_000;
const LISTEN_MS = 5_000;

const lan = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const all = [...elementPayloads, ...scriptPayloads, ...addressPayloads]
  .filter(({ name, html }) => lan || !(isNamedIn(html, 'lan') || name === 'name: lan'))
  .map((payload, n) => ({ ...payload, mark: markOf(n) }));
type Marked = (typeof all)[number];

function markOf(n: number): string {
  return `mark${String(n).padStart(3, '0')}z`;
}

/**
 * What an address of its own changes: scripts, workers, redirects, files and navigations; every tenth by way of a redirect.
 * Elements and styles load the same way wherever their document comes from, and how hosts are spelt is the proxy's affair.
 */
const visited = all.filter(({ name }) =>
  /^(?:script|worker|from|time|WebRTC|redirect|file): |^element: (?!img|script|table)/.test(name),
);

/** A service with everything around it. */
class Range {
  readonly canary: Canary;
  readonly names: NameServer;
  readonly site: AllowedSite;
  readonly service: Service;
  readonly client: Client;
  readonly #folder: string;
  readonly #ownPorts: Map<string, number>;

  static async open(settings: (site: AllowedSite, ports: number[]) => Record<string, string>, holdOf: (canary: Canary) => Hold) {
    const canary = await Canary.start();
    const names = await NameServer.start(lan ?? '');
    const site = await AllowedSite.start(holdOf(canary));
    await canary.listen('::1', site.port);
    await canary.listen('127.0.0.2', site.port);
    const ownPorts = new Map<string, number>();
    for (const { mark, html } of [...all, ...visited]) if (isNamedIn(html, 'own')) ownPorts.set(mark, await canary.portFor(mark));
    const folder = await mkdtemp(join(tmpdir(), 'platen-canary-'));
    await writeFile(join(folder, 'secret.html'), SECRET);
    const service = await startService({
      PLATEN_CONCURRENCY: '10', // most of them wait for their chance
      PLATEN_DNS_SERVERS: names.address,
      ...settings(site, [canary.port, site.port, ...ownPorts.values()]),
    });
    return new Range(canary, names, site, service, folder, ownPorts);
  }

  private constructor(
    canary: Canary,
    names: NameServer,
    site: AllowedSite,
    service: Service,
    folder: string,
    ownPorts: Map<string, number>,
  ) {
    this.canary = canary;
    this.names = names;
    this.site = site;
    this.service = service;
    this.client = new Client(service.url, service.key);
    this.#folder = folder;
    this.#ownPorts = ownPorts;
  }

  render(payload: Marked): Promise<Response> {
    return this.client.pdf({ html: this.#documentOf(payload) });
  }

  /** The same document, where the allowed site serves it, or where a redirect of it leads. */
  visit(payload: Marked, { redirected = false } = {}): Promise<Response> {
    const { mark } = payload;
    this.site.documents.set(mark, this.#documentOf(payload));
    const path = redirected ? `/redirect/302?to=/document/${mark}` : `/document/${mark}`;
    return this.client.pdf({ url: `http://127.0.0.1:${this.site.port}${path}` });
  }

  #documentOf({ mark, ...payload }: Marked): string {
    return documentOf(payload as Payload, {
      url: `http://127.0.0.1:${this.canary.port}/${mark}`,
      mark,
      port: this.canary.port,
      own: this.#ownPorts.get(mark) ?? 0,
      site: `http://127.0.0.1:${this.site.port}`,
      sitePort: this.site.port,
      lan: lan ?? '',
      file: join(this.#folder, 'secret.html'),
    });
  }

  async close(): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    this.canary.close();
    this.names.close();
    this.site.close();
    await rm(this.#folder, { recursive: true });
  }
}

async function textOf(response: Response): Promise<string> {
  if (response.status !== 200) return response.text();
  const { pages } = await readPdf(await response.arrayBuffer());
  return pages.join('').replace(/\s/g, '');
}

describe('by default', () => {
  let range: Range;
  beforeAll(async () => {
    range = await Range.open(
      // The canary's ports are no reason to refuse it: only where it is.
      (site, ports) => ({
        PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`,
        PLATEN_OUTBOUND_PORTS: ['80', '443', ...ports].join(', '),
      }),
      () => () => sleep(CHANCE_MS),
    );
  });
  afterAll(() => range?.close());

  describe.concurrent('nothing is reached', () => {
    test.for(all)('$name', async (payload, { expect }) => {
      const response = await range.render(payload);
      expect([200, 403, 422, 504]).toContain(response.status);
      expect(await textOf(response)).not.toContain(SECRET);
      expect(range.canary.hitsOf(payload.mark)).toEqual([]);
    });
  });

  describe.concurrent('nothing is reached from a url', () => {
    test.for(visited)('$name', async (payload, { expect }) => {
      const response = await range.visit(payload, { redirected: payload.mark.endsWith('0z') });
      expect([200, 403, 422, 504]).toContain(response.status);
      expect(await textOf(response)).not.toContain(SECRET);
      expect(range.canary.hitsOf(payload.mark)).toEqual([]);
    });
  });

  test('not afterwards either', async () => {
    await sleep(LISTEN_MS);
    expect(range.canary.hits).toEqual([]);
  });

  test('names were resolved, and refused for where they lead', () => {
    const zones = new Set([...range.names.asked].map((name) => name.split('.').at(-2)));
    expect([...zones]).toEqual(expect.arrayContaining(['private', 'mapped', 'mixed', 'rebind2', 'rebind6', 'slow', 'failing']));
  });

  test('what is allowed is loaded, and rendering goes on', async () => {
    const site = `http://127.0.0.1:${range.site.port}`;
    const pdf = await readPdfReply(
      await range.client.pdf({ html: `<p>here</p><img src="${site}/image.png"><iframe src="${site}/"></iframe>` }),
    );
    expect(pdf.pages[0]).toContain('here');
    expect(pdf.pages[0]).toContain(GREETING);
    expect(pdf.images).toBe(1);
  });
});

describe('control: with everything allowed', () => {
  let range: Range;
  const isBlocked = (mark: string) =>
    [...all, ...visited].some((payload) => payload.mark === mark && payload.blockedBelowThePolicy);
  beforeAll(async () => {
    range = await Range.open(
      () => ({ PLATEN_OUTBOUND_ALLOW: '0.0.0.0/0, ::/0', PLATEN_FRESH_CONTEXTS: 'true' }), // each on its own
      (canary) => (mark) => canary.sees(mark, isBlocked(mark) ? CHANCE_MS : PATIENCE_MS),
    );
  });
  afterAll(() => range?.close());

  describe.concurrent('is reached from a url', () => {
    const firing = visited.filter(
      ({ name, blockedBelowThePolicy }) => !blockedBelowThePolicy && /^(?:script|worker): /.test(name),
    );
    test.for(firing)('$name', async (payload, { expect }) => {
      // A document does not wait for its workers: one may be printed before its worker has begun.
      for (let visit = 0; visit < VISITS && !range.canary.hitsOf(payload.mark).length; visit++) {
        await range.visit(payload);
        await range.canary.sees(payload.mark, PATIENCE_MS);
      }
      expect(range.canary.hitsOf(payload.mark)).not.toEqual([]);
    });
  });

  const texts: string[] = [];
  describe.concurrent('is reached', () => {
    const firing = all.filter(({ blockedBelowThePolicy }) => !blockedBelowThePolicy);
    test.for(firing)('$name', async (payload, { expect }) => {
      texts.push(await textOf(await range.render(payload)));
      await range.canary.sees(payload.mark, PATIENCE_MS);
      expect(range.canary.hitsOf(payload.mark)).not.toEqual([]);
    });
  });

  describe.concurrent('is not reached, for a reason below the policy', () => {
    const blocked = all.filter(({ blockedBelowThePolicy }) => blockedBelowThePolicy);
    test.for(blocked)('$name: $blockedBelowThePolicy', async (payload, { expect }) => {
      const response = await range.render(payload);
      const status = RACES[payload.blockedBelowThePolicy as keyof typeof RACES];
      if (status) expect(response.status).toBe(status);
      expect(await textOf(response)).not.toContain(SECRET);
      expect(range.canary.hitsOf(payload.mark).length).toBeLessThanOrEqual(status ? 1 : 0);
    });
  });

  test(`at least ${MIN_PAYLOADS} payloads count, and what they reach shows in a PDF`, () => {
    expect(new Set(range.canary.hits.flatMap(({ mark }) => mark ?? [])).size).toBeGreaterThanOrEqual(MIN_PAYLOADS);
    expect(texts.filter((text) => text.includes(SECRET)).length).toBeGreaterThan(0);
  });
});
