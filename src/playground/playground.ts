/**
 * Renders for visitors without a key: a valid request in, a PDF out that is neither charged nor stored. The playground has its own
 * browser, uses a new page for each render, and gives priority to key holders.
 */

import type { Page } from '../chromium/page.ts';
import { Deadline } from '../deadline.ts';
import { queueFull, ServiceError } from '../errors.ts';
import type { Markdown } from '../markdown/markdown.ts';
import type { PooledBrowser } from '../pool/browser-slot.ts';
import { Pool, type PoolOptions } from '../pool/pool.ts';
import { OwnerQueue } from '../queue/owner-queue.ts';
import { type LetterheadServices, printOnLetterhead } from '../render/letterhead.ts';
import type { RenderedPdf } from '../render/pdf.ts';
import { requireNone } from '../render/report.ts';
import { toFilledContent } from '../render/resolve-source.ts';
import type { FinishQueue } from '../render/steps/finish-queue.ts';
import type { TemplateFiller } from '../templates/template-filler.ts';
import { phaseSpans } from '../tracing.ts';
import { noteFailed, noteRendered } from '../work-log.ts';
import { MAX_PLAYGROUND_HTML_BYTES, type PlaygroundRequest } from './playground-request.ts';
import { PlaygroundResults } from './results.ts';
import type { VisitorTime } from './visitor-time.ts';

export interface PlaygroundServices {
  launch(): Promise<PooledBrowser<Page>>;
  templateFiller: Pick<TemplateFiller, 'fillOnce'>;
  markdown: Pick<Markdown, 'toHtml'>;
  finishing: FinishQueue;
  /** The pool in which key holders render. */
  keyHolders: Pick<Pool<Page>, 'idleMs' | 'hasFreePlace' | 'watchRoom'>;
  time: VisitorTime;
  letterheads: Omit<LetterheadServices, 'documents'>;
}

/** All visitors together count as one owner in queues that they share with keys. */
const OWNER = 'playground';
const SHARED = { boundary: OWNER, shareOf: OWNER };
/** Number of renders of one visitor that may wait while another one runs. */
const WAITING_PER_VISITOR = 2;
/** Number of renders that may wait for each place. */
const WAITING_PER_PLACE = 16;
/** A visitor who would have to wait longer, which is the time limit of a playground render, is refused. */
const MAX_WAIT_SECONDS = 10;
/** The longest time that a render waits for key holders, so that the playground also works on a busy service. */
const MAX_PRIORITY_WAIT_MS = 2_000;
/** While key holders render, the playground pauses after each render for this many times its duration. */
const PAUSE_FACTOR = 6;
/** Key holders count as idle after this time without a render. Consecutive calls leave shorter gaps. */
const IDLE_MS = 300;

export class Playground {
  readonly results = new PlaygroundResults();
  readonly #services: PlaygroundServices;
  readonly #options: PoolOptions;
  readonly #queue: OwnerQueue;
  /** Created for the first visitor. */
  #pool: Pool<Page> | undefined;
  #ending = false;
  #closed = false;
  /** The end of the current pause, on the clock of `performance`. */
  #pausedUntil = 0;

  /** Starts no browser yet. */
  constructor(services: PlaygroundServices, options: PoolOptions) {
    this.#services = services;
    this.#options = { ...options, browsers: 1, isolation: 'document', warmPages: 0, sparePages: 1, retry: false };
    const capacity = options.concurrency;
    this.#queue = new OwnerQueue({ capacity, perOwner: 1, limit: WAITING_PER_PLACE * capacity });
  }

  /** Throws if `render` would throw at once: `shutting_down`, `rate_limited`, or `queue_full` if the wait would be too long. */
  requireRoom(visitor: string): void {
    if (this.#ending) throw shuttingDown();
    this.#services.time.requireTime(visitor);
    const seconds = this.#queue.retryAfterSeconds;
    if (this.#queue.countCalls(visitor) > WAITING_PER_VISITOR) throw rateLimited(seconds);
    this.#queue.requireRoom(visitor);
    if (!this.#queue.hasFreePlace && seconds > MAX_WAIT_SECONDS) throw queueFull('too many visitors are waiting', seconds);
  }

  /** Reads what the visitor has used on other nodes. */
  async refreshTime(visitor: string): Promise<void> {
    await this.#services.time.refresh(visitor);
  }

  /** Limits are counted by `visitor`; `client` aborts when the caller disconnects. */
  async render(request: PlaygroundRequest, visitor: string, client: AbortSignal): Promise<RenderedPdf> {
    this.requireRoom(visitor);
    using deadline = new Deadline(request.timeoutMs, client, phaseSpans());
    const leave = await this.#queue.acquire(visitor, deadline);
    try {
      return await this.#renderInTurn(request, visitor, deadline);
    } catch (error) {
      noteFailed(deadline.timingsSoFar());
      throw error;
    } finally {
      leave();
    }
  }

  /** Starts the browser and a thread when a visitor arrives, so that the first render need not wait for them. Reports no errors. */
  prepare(): void {
    if (this.#ending) return;
    this.#services.finishing.prepareToCompress();
    if (this.#pool) return;
    this.#makePool()
      .start()
      .catch(() => {}); // a render will report the error
  }

  /** Takes no new work; resolves when what was accepted is done. */
  async drain(): Promise<void> {
    this.#ending = true;
    await this.#queue.idle();
  }

  /** Ends the browser; running renders fail. */
  async close(): Promise<void> {
    this.#ending = true;
    this.#closed = true;
    this.results.clear();
    await this.#pool?.close();
  }

  async #renderInTurn(request: PlaygroundRequest, visitor: string, deadline: Deadline): Promise<RenderedPdf> {
    await this.#waitForKeyHolders(deadline);
    this.#services.time.requireTime(visitor); // renders that were accepted before may have used the rest
    const begun = performance.now();
    try {
      return await this.#renderNow(request, visitor, deadline);
    } finally {
      const now = performance.now();
      this.#pausedUntil = now + Math.min(PAUSE_FACTOR * (now - begun), MAX_PRIORITY_WAIT_MS);
      await this.#services.time.add(visitor, now - begun);
    }
  }

  async #renderNow(request: PlaygroundRequest, visitor: string, deadline: Deadline): Promise<RenderedPdf> {
    const { load, print, paged, finish, failOnWarning } = request;
    const content = await deadline.race(this.#resolve(request, deadline.signal));
    if (this.#closed) throw shuttingDown();
    const engine = { pool: this.#makePool(), finishing: this.#services.finishing };
    const order = { content, load, print, paged, finish };
    const services = { ...this.#services.letterheads, documents: { find: noDocuments, read: noDocuments } };
    const principal = { keyId: OWNER, accountId: visitor };
    const pdf = await printOnLetterhead(engine, order, services, { principal, owner: SHARED, deadline });
    requireNone(failOnWarning, pdf.report);
    noteRendered(pdf);
    return pdf;
  }

  #makePool(): Pool<Page> {
    this.#pool ??= new Pool(this.#services.launch, this.#options);
    return this.#pool;
  }

  async #resolve({ source, baseUrl, assets }: PlaygroundRequest, signal: AbortSignal) {
    if (source.kind === 'html') return { ...source, baseUrl, assets };
    const { templateFiller, markdown } = this.#services;
    if (source.kind === 'markdown') {
      const task = { markdown: source.markdown, stylesheet: undefined, limitBytes: MAX_PLAYGROUND_HTML_BYTES };
      return { kind: 'html' as const, html: await markdown.toHtml(OWNER, task, signal), baseUrl, assets };
    }
    const html = await templateFiller.fillOnce(OWNER, source, source.data, MAX_PLAYGROUND_HTML_BYTES, signal);
    return { ...toFilledContent(html, baseUrl), assets };
  }

  /** Waits, unless key holders are idle, until they leave a place free and the pause has ended, but not longer than the maximum. */
  async #waitForKeyHolders(deadline: Deadline): Promise<void> {
    const { keyHolders } = this.#services;
    const end = performance.now() + MAX_PRIORITY_WAIT_MS;
    for (let now = performance.now(); now < end; now = performance.now()) {
      const isPaused = this.#pausedUntil > now;
      if (keyHolders.idleMs >= IDLE_MS || (keyHolders.hasFreePlace && !isPaused)) return;
      const next = isPaused ? Math.min(this.#pausedUntil, end) : end;
      await deadline.race(this.#placeOrTimeout(Math.min(next - now, IDLE_MS)));
    }
  }

  /** Resolves when a key holder has released a place, or after a time. */
  async #placeOrTimeout(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.#services.keyHolders.watchRoom(resolve);
    const timer = setTimeout(resolve, milliseconds);
    await promise;
    clearTimeout(timer);
    stop();
  }
}

/** A valid request names none. */
async function noDocuments(): Promise<never> {
  throw new Error('visitors of the playground have no documents');
}

function shuttingDown(): ServiceError {
  const detail = 'the service is shutting down; send the request again later';
  return new ServiceError('shutting_down', detail, { retryAfterSeconds: 5 });
}

function rateLimited(seconds: number): ServiceError {
  const detail = `the playground renders one document at a time for each IP address, and ${WAITING_PER_VISITOR} may wait; try again in ${seconds} s`;
  return new ServiceError('rate_limited', detail, {
    retryAfterSeconds: seconds,
    members: { limit: WAITING_PER_VISITOR + 1, retry_after: seconds },
  });
}
