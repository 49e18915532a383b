/**
 * Documents that try to reach forbidden addresses, and fail. Each payload has a control run in which everything is allowed and the
 * request does arrive, so that a payload that never works cannot count as blocked.
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
import { documentsOf, isNamedIn, markupOf, RACES } from './canary/payload.ts';
import { scriptPayloads } from './canary/scripts.ts';

const MIN_PAYLOADS = 80;
const PATIENCE_MS = 8_000;
/** The most visits of a document until all its payloads have reached the canary. */
const VISITS = 3;
/** The time for the attempt of a payload that is blocked, so that nothing shows when it has been made. */
const CHANCE_MS = 1_000;
const LISTEN_MS = 5_000;

const lan = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const all = [...elementPayloads, ...scriptPayloads, ...addressPayloads]
  .filter(({ name, html }) => lan || !(isNamedIn(html, 'lan') || name === 'name: lan'))
  .map((payload, n) => ({ ...payload, mark: markOf(n) }));
type Marked = (typeof all)[number];
/** Payloads that share a document. */
type PayloadGroup = Marked[];

function markOf(n: number): string {
  return `mark${String(n).padStart(3, '0')}z`;
}

/**
 * What an address of its own changes: scripts, workers, redirects, files and navigations; every fifth document by way of a redirect.
 * Elements and styles load the same way wherever their document comes from, and how hosts are spelt is the proxy's affair.
 */
const visited = all.filter(({ name }) =>
  /^(?:script|worker|from|time|WebRTC|redirect|file): |^element: (?!img|script|table)/.test(name),
);

/** Payloads that can load and print files from the address they are given. */
const readers = all.filter(
  ({ name, html, late }) => !late && isNamedIn(html, 'url') && /^(?:script|worker|element): /.test(name),
);
const asset = (content: string, type: string) => ({ content: Buffer.from(content).toString('base64'), type });
/** Returns the files that this payload tries to load, each with a secret that contains its mark. */
const assetsOf = ({ mark }: Marked) => ({
  [`${mark}.html`]: asset(`<p>${SECRET}${mark}`, 'text/html'),
  [`${mark}.js`]: asset(`document.body.append("${SECRET}${mark}")`, 'text/javascript'),
  [`${mark}.css`]: asset(`body::after { content: "${SECRET}${mark}" }`, 'text/css'),
  [`${mark}.svg`]: asset(`<svg xmlns="http://www.w3.org/2000/svg"><text y="20">${SECRET}${mark}</text></svg>`, 'image/svg+xml'),
});
const ASSETS = Object.assign({}, ...readers.map(assetsOf));
const MIN_READERS = 5;

/** A service with the canary, the allowed site and the name server around it. */
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
      PLATEN_CONCURRENCY: '10', // Most renders only wait for their payloads.
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

  async render(group: PayloadGroup): Promise<Outcome> {
    return outcomeOf(await this.client.pdf({ html: this.#documentOf(group) }));
  }

  /** Renders the same document from its URL at the allowed site, directly or by a redirect. */
  async visit(group: PayloadGroup, { redirected = false } = {}): Promise<Outcome> {
    const name = group[0]?.mark ?? '';
    this.site.documents.set(name, this.#documentOf(group));
    const path = redirected ? `/redirect/302?to=/document/${name}` : `/document/${name}`;
    return outcomeOf(await this.client.pdf({ url: `http://127.0.0.1:${this.site.port}${path}` }));
  }

  /** Renders the same document, whose payloads load their files from this base URL instead. */
  async renderAt(base: string, group: PayloadGroup, assets?: object, client = this.client): Promise<Outcome> {
    return outcomeOf(await client.pdf({ html: this.#documentOf(group, base), ...(assets && { assets }) }));
  }

  /** Returns a client with a key on a new account. */
  async another(): Promise<Client> {
    return new Client(this.service.url, (await this.service.createKey()).key);
  }

  /** Late payloads share an image that arrives when each of them has had its time. */
  #documentOf(group: PayloadGroup, base?: string): string {
    const late = group.filter((payload) => payload.late).map(({ mark }) => mark);
    const held = late.length ? `<img src="http://127.0.0.1:${this.site.port}/hold/${late.join('+')}">` : '';
    return group.map((payload) => this.#markupOf(payload, base)).join('') + held;
  }

  #markupOf(payload: Marked, base = `http://127.0.0.1:${this.canary.port}/`): string {
    const { mark } = payload;
    return markupOf(payload, {
      url: base + mark,
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

interface Outcome {
  status: number;
  text: string;
}

async function outcomeOf(response: Response): Promise<Outcome> {
  const { status } = response;
  if (status !== 200) return { status, text: await response.text() };
  const { pages } = await readPdf(await response.arrayBuffer());
  return { status, text: pages.join('').replace(/\s/g, '') };
}

/** A document with several payloads must be printed, so that each of them has had its chance. */
function statusesOf({ alone }: Marked): number[] {
  return alone ? [200, 403, 422, 504] : [200];
}

/** Returns the result for the document of a payload. Its first payload starts the render. */
function oncePerDocument<T>(
  payloads: Marked[],
  render: (group: PayloadGroup, n: number) => Promise<T>,
): (payload: Marked) => Promise<T> {
  const groups = documentsOf(payloads);
  const rendered = new Map<PayloadGroup, Promise<T>>();
  return (payload) => {
    const n = groups.findIndex((group) => group.includes(payload));
    const group = groups[n] as PayloadGroup;
    const outcome = rendered.get(group) ?? render(group, n);
    rendered.set(group, outcome);
    return outcome;
  };
}

describe('by default', () => {
  let range: Range;
  beforeAll(async () => {
    range = await Range.open(
      // The policy allows the canary's ports, so that only its addresses can be the reason for a refusal.
      (site, ports) => ({
        PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`,
        PLATEN_OUTBOUND_PORTS: ['80', '443', ...ports].join(', '),
      }),
      () => () => sleep(CHANCE_MS),
    );
  });
  afterAll(() => range?.close());

  describe.concurrent('reaches nothing', () => {
    const rendered = oncePerDocument(all, (group) => range.render(group));
    test.for(all)('$name', async (payload, { expect }) => {
      const { status, text } = await rendered(payload);
      expect(statusesOf(payload)).toContain(status);
      expect(text).not.toContain(SECRET);
      expect(range.canary.hitsOf(payload.mark)).toEqual([]);
    });
  });

  describe.concurrent('reaches nothing from a URL', () => {
    const rendered = oncePerDocument(visited, (group, n) => range.visit(group, { redirected: n % 5 === 0 }));
    test.for(visited)('$name', async (payload, { expect }) => {
      const { status, text } = await rendered(payload);
      expect(statusesOf(payload)).toContain(status);
      expect(text).not.toContain(SECRET);
      expect(range.canary.hitsOf(payload.mark)).toEqual([]);
    });
  });

  describe('reaches no assets of an earlier render', () => {
    let base: string;
    beforeAll(async () => {
      const showBase = '<p id=out style="font: 6px monospace"></p><script>out.textContent = document.baseURI</script>';
      const { text } = await outcomeOf(await range.client.pdf({ html: showBase, assets: ASSETS }));
      base = /http:\/\/a[0-9a-f]{32}\.invalid\//.exec(text)?.[0] ?? '';
      expect(base, text).not.toBe('');
    });

    describe.concurrent.each(['the same key', 'another key'])('from a later render of %s', (whose) => {
      const rendered = oncePerDocument(readers, async (group) =>
        range.renderAt(base, group, undefined, whose === 'another key' ? await range.another() : undefined),
      );
      test.for(readers)('$name', async (payload, { expect }) => {
        const { status, text } = await rendered(payload);
        expect(statusesOf(payload)).toContain(status);
        expect(text).not.toContain(SECRET);
      });
    });

    const shown: string[] = [];
    describe.concurrent('control: from the render with the assets', () => {
      const rendered = oncePerDocument(readers, (group) => range.renderAt('', group, ASSETS));
      test.for(readers)('$name', async (payload) => {
        const { text } = await rendered(payload);
        if (text.includes(SECRET + payload.mark)) shown.push(payload.name);
      });
    });

    test(`control: at least ${MIN_READERS} payloads show them`, () => {
      expect(shown.length, shown.join()).toBeGreaterThanOrEqual(MIN_READERS);
    });
  });

  test('also not afterwards', async () => {
    await sleep(LISTEN_MS);
    expect(range.canary.hits).toEqual([]);
  });

  test('resolved names, and refused their addresses', () => {
    const zones = new Set([...range.names.queriedNames].map((name) => name.split('.').at(-2)));
    expect([...zones]).toEqual(expect.arrayContaining(['private', 'mapped', 'mixed', 'rebind2', 'rebind6', 'slow', 'failing']));
  });

  test('loads what is allowed, and keeps rendering', async () => {
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
      () => ({ PLATEN_OUTBOUND_ALLOW: '0.0.0.0/0, ::/0', PLATEN_ISOLATION: 'document' }), // Each document gets a fresh browser context.
      (canary) => (mark) => canary.sees(mark, isBlocked(mark) ? CHANCE_MS : PATIENCE_MS),
    );
  });
  afterAll(() => range?.close());

  const isSeen = (payload: Marked) => range.canary.hitsOf(payload.mark).length > 0;
  /** Whether some fire is a race: a document does not wait for its workers, nor the browser for what a frame asks that is removed. */
  const untilSeen = async (group: PayloadGroup, attempt: () => Promise<Outcome>): Promise<string> => {
    let text = '';
    for (let visit = 0; visit < VISITS && !group.every(isSeen); visit++) {
      text += (await attempt()).text;
      await Promise.all(group.map(({ mark }) => range.canary.sees(mark, PATIENCE_MS)));
    }
    return text;
  };

  describe.concurrent('is reached from a URL', () => {
    const firing = visited.filter(
      ({ name, blockedBelowThePolicy }) => !blockedBelowThePolicy && /^(?:script|worker): /.test(name),
    );
    const visit = oncePerDocument(firing, (group) => untilSeen(group, () => range.visit(group)));
    test.for(firing)('$name', async (payload, { expect }) => {
      await visit(payload);
      expect(range.canary.hitsOf(payload.mark)).not.toEqual([]);
    });
  });

  const texts: string[] = [];
  describe.concurrent('is reached', () => {
    const firing = all.filter(({ blockedBelowThePolicy }) => !blockedBelowThePolicy);
    const rendered = oncePerDocument(firing, (group) => untilSeen(group, () => range.render(group)));
    test.for(firing)('$name', async (payload, { expect }) => {
      texts.push(await rendered(payload));
      expect(range.canary.hitsOf(payload.mark)).not.toEqual([]);
    });
  });

  describe.concurrent('is blocked below the policy', () => {
    const blocked = all.filter(({ blockedBelowThePolicy }) => blockedBelowThePolicy);
    const rendered = oncePerDocument(blocked, (group) => range.render(group));
    test.for(blocked)('$name: $blockedBelowThePolicy', async (payload, { expect }) => {
      const { status, text } = await rendered(payload);
      const expected = RACES[payload.blockedBelowThePolicy as keyof typeof RACES];
      if (expected) expect(status).toBe(expected);
      expect(text).not.toContain(SECRET);
      expect(range.canary.hitsOf(payload.mark).length).toBeLessThanOrEqual(expected ? 1 : 0);
    });
  });

  test(`at least ${MIN_PAYLOADS} payloads count, and their targets appear in a PDF`, () => {
    expect(new Set(range.canary.hits.flatMap(({ mark }) => mark ?? [])).size).toBeGreaterThanOrEqual(MIN_PAYLOADS);
    expect(texts.filter((text) => text.includes(SECRET)).length).toBeGreaterThan(0);
  });
});
