/**
 * Renders for visitors without a key: a valid request in, a PDF out that is charged to nobody and kept nowhere. They have a
 * browser of their own, a page for each render, and give way to key holders.
 */
import type { Page } from '../chromium/page.ts';
import { Deadline } from '../deadline.ts';
import { queueFull, ServiceError } from '../errors.ts';
import type { PooledBrowser } from '../pool/browser-slot.ts';
import { Pool, type PoolOptions } from '../pool/pool.ts';
import { OwnerQueue } from '../queue/owner-queue.ts';
import type { FinishQueue } from '../render/finish-queue.ts';
import { printContent, type RenderedPdf } from '../render/print-content.ts';
import { requireNone } from '../render/report.ts';
import { filled } from '../render/resolve-source.ts';
import type { Templates } from '../templates/templates.ts';
import { phaseSpans } from '../tracing.ts';
import { MAX_PLAYGROUND_HTML_BYTES, type PlaygroundRequest } from './playground-request.ts';

export interface PlaygroundServices {
  /** Starts the playground's browser. */
  launch(): Promise<PooledBrowser<Page>>;
  templates: Pick<Templates, 'fillOnce'>;
  finishing: FinishQueue;
  /** Where key holders render. */
  keyHolders: Pick<Pool<Page>, 'idleMs' | 'hasFreePlace' | 'watchRoom'>;
}

/** All visitors together are one owner where they share something with keys. */
const OWNER = 'playground';
const SHARED = { boundary: OWNER, shareOf: OWNER };
/** Renders of one visitor that may wait while another of theirs runs. */
const WAITING_PER_VISITOR = 2;
/** Renders that may wait for each place. */
const WAITING_PER_PLACE = 16;
/** Nobody is let in who would wait longer than a render of the playground may take. */
const MAX_WAIT_SECONDS = 10;
/** A service that is busy all day has a playground all the same. */
const PATIENCE_MS = 2_000;
/** While key holders render, the playground rests after each render: so many times as long as that took. */
const REST = 6;
/** Key holders who call one after the other leave moments between their calls; after this time there are none. */
const QUIET_MS = 300;

export class Playground {
  readonly #services: PlaygroundServices;
  readonly #options: PoolOptions;
  readonly #queue: OwnerQueue;
  /** Made for the first visitor. */
  #pool: Pool<Page> | undefined;
  #ending = false;
  #closed = false;
  /** On the clock of `performance`. */
  #restsUntil = 0;

  /** Starts no browser yet. */
  constructor(services: PlaygroundServices, options: PoolOptions) {
    this.#services = services;
    this.#options = { ...options, browsers: 1, freshContexts: true, warmPages: 0, sparePages: 1, retry: false };
    const capacity = options.concurrency;
    this.#queue = new OwnerQueue({ capacity, perOwner: 1, limit: WAITING_PER_PLACE * capacity });
  }

  /** Throws what `render` would throw at once: `shutting_down`, `rate_limited`, and `queue_full` where waiting would be in vain. */
  requireRoom(visitor: string): void {
    if (this.#ending) throw shuttingDown();
    const seconds = this.#queue.retryAfterSeconds;
    if (this.#queue.callsOf(visitor) > WAITING_PER_VISITOR) throw tooMany(seconds);
    this.#queue.requireRoom(visitor);
    if (!this.#queue.hasFreePlace && seconds > MAX_WAIT_SECONDS) throw queueFull('too many visitors are waiting', seconds);
  }

  /** `visitor` is whom limits count for; `client` aborts when the caller has gone. */
  async render(request: PlaygroundRequest, visitor: string, client: AbortSignal): Promise<RenderedPdf> {
    this.requireRoom(visitor);
    using deadline = new Deadline(request.timeoutMs, client, phaseSpans());
    const leave = await this.#queue.acquire(visitor, deadline);
    try {
      return await this.#renderInTurn(request, deadline);
    } finally {
      leave();
    }
  }

  /** A visitor has come: the browser starts, so that the first render need not wait for it. Says nothing when it cannot. */
  prepare(): void {
    if (this.#pool || this.#ending) return;
    this.#makePool()
      .start()
      .catch(() => {}); // whoever renders is told
  }

  /** Takes no new work; resolves when what was accepted is done. */
  async drain(): Promise<void> {
    this.#ending = true;
    await this.#queue.idle();
  }

  /** Ends the browser; work under way fails. */
  async close(): Promise<void> {
    this.#ending = true;
    this.#closed = true;
    await this.#pool?.close();
  }

  async #renderInTurn(request: PlaygroundRequest, deadline: Deadline): Promise<RenderedPdf> {
    await this.#giveWay(deadline);
    const begun = performance.now();
    try {
      return await this.#renderNow(request, deadline);
    } finally {
      const now = performance.now();
      this.#restsUntil = now + Math.min(REST * (now - begun), PATIENCE_MS);
    }
  }

  async #renderNow({ source, baseUrl, load, print, finish, failOnWarning }: PlaygroundRequest, deadline: Deadline) {
    const content = await deadline.race(this.#resolve(source, baseUrl, deadline.signal));
    if (this.#closed) throw shuttingDown();
    const engine = { pool: this.#makePool(), finishing: this.#services.finishing };
    const pdf = await printContent(engine, { content, load, print, finish }, SHARED, deadline);
    requireNone(failOnWarning, pdf.report);
    return pdf;
  }

  #makePool(): Pool<Page> {
    this.#pool ??= new Pool(this.#services.launch, this.#options);
    return this.#pool;
  }

  async #resolve(source: PlaygroundRequest['source'], baseUrl: string | undefined, signal: AbortSignal) {
    if (source.kind === 'html') return { ...source, baseUrl };
    const html = await this.#services.templates.fillOnce(OWNER, source, source.data, MAX_PLAYGROUND_HTML_BYTES, signal);
    return filled(html, baseUrl);
  }

  /** Waits until key holders leave a place free, or for some time; not at all where there are none. */
  async #giveWay(deadline: Deadline): Promise<void> {
    const { keyHolders } = this.#services;
    const end = performance.now() + PATIENCE_MS;
    for (let now = performance.now(); now < end; now = performance.now()) {
      const rests = this.#restsUntil > now;
      if (keyHolders.idleMs >= QUIET_MS || (keyHolders.hasFreePlace && !rests)) return;
      const next = rests ? Math.min(this.#restsUntil, end) : end;
      await deadline.race(this.#roomOrTime(Math.min(next - now, QUIET_MS)));
    }
  }

  /** Resolves when key holders have given a place back, or after some time. */
  async #roomOrTime(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.#services.keyHolders.watchRoom(resolve);
    const timer = setTimeout(resolve, milliseconds);
    await promise;
    clearTimeout(timer);
    stop();
  }
}

function shuttingDown(): ServiceError {
  const detail = 'the service is shutting down; send the request again later';
  return new ServiceError('shutting_down', detail, { retryAfterSeconds: 5 });
}

function tooMany(seconds: number): ServiceError {
  const detail = `the playground renders one document at a time for an address, and ${WAITING_PER_VISITOR} may wait; try again in ${seconds} s`;
  return new ServiceError('rate_limited', detail, {
    retryAfterSeconds: seconds,
    members: { limit: WAITING_PER_VISITOR + 1, retry_after: seconds },
  });
}
