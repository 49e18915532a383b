/**
 * The runner: takes items out of the queue, one at a time, keys in turn, and has them rendered in the background. No more are
 * under way than keep the places of the pool busy, and none begins while calls wait.
 */
import type { Principal } from '../accounts/accounts.ts';
import { hasCode, ServiceError } from '../errors.ts';
import type { ImageRequest } from '../render/image-request.ts';
import type { CommitHook, Delivery, ImageDelivery } from '../render/render.ts';
import type { RenderLimits, RenderRequest } from '../render/render-request.ts';
import type { PayloadCipher } from '../storage/payload-cipher.ts';
import { describeSpan, tracedLater } from '../tracing.ts';
import type { Uploads } from '../webhooks/uploads.ts';
import type { AwaitedPlaces } from './awaited-places.ts';
import { type ItemRequest, type Members, PARSERS, parseItemBy } from './batch-request.ts';
import { additionalDataOf, DEFAULTS_POSITION } from './outcomes.ts';
import { itemErrorOf } from './prepare-items.ts';
import type { Progress } from './progress.ts';
import { type BatchQueue, type CancelledLate, type ClaimedItem, ClaimLost, type Completed, type Outcome } from './queue.ts';
import { isOurs, MAX_ATTEMPTS, MAX_CLAIMS, MAX_PAUSE_MS, passes, pauseAfter } from './retries.ts';
import { RoundRobin } from './round-robin.ts';

export interface RunnerServices {
  queue: BatchQueue;
  cipher: PayloadCipher;
  limits: RenderLimits;
  uploads: Pick<Uploads, 'enqueue'>;
  progress: Progress;
  /** Undefined once the key is revoked. */
  principalOf(keyId: string): Promise<Principal | undefined>;
  /** Whether places in the allowance of an account that is used up may come back. */
  mayComeBack(accountId: string): Promise<boolean>;
  /** Whether the account may have one more render under way. */
  hasRoom(principal: Principal): boolean;
  /** The same for all nodes. */
  places: Pick<AwaitedPlaces, 'wait' | 'isAwaited'>;
  pool: { hasRoomInBackground(owner: string): boolean; readonly capacity: number; secondsFor(renders: number): number };
  /** See `render/render.ts`. */
  render(
    item: RenderRequest | ImageRequest,
    principal: Principal,
    client: AbortSignal,
    commitHook: ItemHook,
  ): Promise<Delivery | ImageDelivery>;
  onRendered(delivery: Delivery | ImageDelivery): void;
  /** What the operator should know: faults of the service, not of items. */
  onFault(error: unknown): void;
}

export type ItemHook = CommitHook<Pick<Delivery, 'document'>>;

/** Undefined: the key is revoked. An error: its plan cannot be told. */
type Owner = Principal | ServiceError | undefined;

/** Items under way for each place of the pool: one on its page, one ready for it, and those that are being stored. */
const PER_PLACE = 4;
/** How often leases of others are looked at. */
const RECOVER_MS = 5_000;
const LOAD_MS = 1_000;

interface Load {
  /** Items. */
  waiting: number;
  /** Those that have items waiting. */
  keys: number;
}

export class BatchRunner {
  readonly #services: RunnerServices;
  /** With the account of each. */
  readonly #underWay = new Map<Promise<void>, string>();
  readonly #order = new RoundRobin();
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #filling: Promise<void> | undefined;
  #woken = false;
  /** Keys that may have items for which it is time. Undefined: the queue is to be asked. */
  #keys: Set<string> | undefined;
  #draining = false;
  #lastLoad: Promise<Load> | undefined;
  #loadUntil = 0;

  constructor(services: RunnerServices) {
    this.#services = services;
    services.progress.watchWork((keyId) => this.#workCame(keyId));
  }

  /** Goes on with what there is. */
  start(): void {
    this.#timer = setInterval(() => void this.#recover(), RECOVER_MS).unref();
    this.wake();
  }

  /** Takes up what there is room for. To be called whenever there may be. */
  wake(): void {
    if (this.#keys?.size === 0 || this.#draining) return;
    this.#woken = true;
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
      if (this.#woken) this.wake();
    });
  }

  /** Begins nothing more; resolves when what is under way has ended. */
  async drain(): Promise<void> {
    this.#draining = true;
    clearInterval(this.#timer);
    await this.#filling;
    while (this.#underWay.size) await Promise.all(this.#underWay.keys());
  }

  /** What is under way is given up, and goes back into the queue. */
  abort(): void {
    this.#draining = true;
    this.#end.abort();
  }

  /** Seconds until a batch with so many items left will have ended, keys taking turns, at the speed so far. */
  async secondsFor(unfinished: number): Promise<number> {
    const { waiting, keys } = await this.#load();
    return this.#services.pool.secondsFor(Math.min(unfinished * Math.max(1, keys), waiting + this.#underWay.size));
  }

  /** Counted once a second, however many ask. */
  #load(): Promise<Load> {
    if (this.#lastLoad && performance.now() < this.#loadUntil) return this.#lastLoad;
    this.#loadUntil = performance.now() + LOAD_MS;
    this.#lastLoad = this.#countLoad();
    this.#lastLoad.catch(() => {
      this.#lastLoad = undefined;
    });
    return this.#lastLoad;
  }

  async #countLoad(): Promise<Load> {
    const { queue } = this.#services;
    return { waiting: await queue.waiting(), keys: (await queue.keysWithWork()).length };
  }

  async #fill(): Promise<void> {
    try {
      do {
        this.#woken = false;
        while (!this.#draining && this.#isRoomForSomebody && (await this.#beginNext()));
      } while (this.#woken && !this.#draining);
    } catch (error) {
      this.#woken = false;
      this.#services.onFault(error); // the next look at leases tries again
    }
  }

  get #isRoomForSomebody(): boolean {
    const { pool } = this.#services;
    return pool.hasRoomInBackground('') && this.#underWay.size < pool.capacity * PER_PLACE;
  }

  /** No account has all items under way: one that has none may begin. */
  #mayBegin(accountId: string): boolean {
    const { pool } = this.#services;
    const limit = pool.capacity * PER_PLACE;
    const left = limit - this.#underWay.size;
    const own = [...this.#underWay.values()].filter((account) => account === accountId).length;
    return pool.hasRoomInBackground(accountId) && left > (own ? pool.capacity : 0);
  }

  /** Whether one was begun. */
  async #beginNext(): Promise<boolean> {
    const { queue, principalOf, hasRoom, places } = this.#services;
    const keys = this.#keys ?? (await this.#askForKeys());
    for (const keyId of this.#order.inOrder(keys)) {
      const owner = await principalOf(keyId).catch(unexpected);
      if (!this.#mayBegin(accountOf(owner))) continue;
      if (owner && 'plan' in owner && (!hasRoom(owner) || places.isAwaited(owner.accountId))) continue;
      keys.delete(keyId); // before it is looked for: what comes meanwhile adds it again
      const item = await queue.claim(keyId);
      if (!item) continue;
      keys.add(keyId);
      this.#order.served(keyId);
      this.#begin(item, owner);
      return true;
    }
    return false;
  }

  async #askForKeys(): Promise<Set<string>> {
    const keys = new Set<string>();
    this.#keys = keys; // work that comes while the queue is asked goes into it
    try {
      for (const keyId of await this.#services.queue.keysWithWork()) keys.add(keyId);
    } catch (error) {
      this.#keys = undefined;
      throw error;
    }
    return keys;
  }

  #begin(item: ClaimedItem, owner: Owner): void {
    const running = this.#trace(item, owner).finally(() => {
      this.#underWay.delete(running);
      this.wake();
    });
    this.#underWay.set(running, accountOf(owner));
  }

  #trace(item: ClaimedItem, owner: Owner): Promise<void> {
    const { batchId, position, attempts, traceparent } = item;
    const attributes = { 'platen.batch_id': batchId, 'platen.batch_position': position, 'platen.attempt': attempts };
    return tracedLater({ name: 'batch item', kind: 'consumer', traceparent, attributes }, () => this.#run(item, owner));
  }

  async #run(item: ClaimedItem, owner: Owner): Promise<void> {
    const { render, onRendered } = this.#services;
    const written: { completed?: Completed } = {};
    try {
      const request = this.#requestOf(item);
      if (!owner) throw new ServiceError('unauthorized', 'the API key of this batch was revoked');
      if (owner instanceof Error) throw owner;
      onRendered(await render(request, owner, this.#end.signal, this.#receiptOf(item, request, owner, written)));
      this.#tell(item, 'ok', written.completed);
    } catch (error) {
      await this.#failed(item, owner, error);
      if (written.completed) this.#services.progress.ended(item.batchId); // it may have been committed: let them look
    }
  }

  /** Throws as `parseItem` does: the operator may have changed the limits. */
  #requestOf({ batchId, kind, position, attempts, ciphertext }: ClaimedItem): ItemRequest<RenderRequest | ImageRequest> {
    const { cipher, limits } = this.#services;
    if (attempts > MAX_CLAIMS) throw new ServiceError('internal_error', 'the service stopped each time it rendered this item');
    const item = cipher.decrypt(ciphertext.item, additionalDataOf(batchId, position, kind));
    const defaults = ciphertext.defaults ? cipher.decrypt(ciphertext.defaults, additionalDataOf(batchId, DEFAULTS_POSITION)) : {};
    return parseItemBy<RenderRequest | ImageRequest>(PARSERS[kind], item, defaults as Members, limits);
  }

  /** The outcome is written in the transaction that charges for the document and stores it. */
  #receiptOf(
    item: ClaimedItem,
    { deliverTo, keptMs }: ItemRequest<RenderRequest | ImageRequest>,
    { accountId, keyId }: Principal,
    written: { completed?: Completed },
  ): ItemHook {
    const { queue, uploads } = this.#services;
    return {
      async prepare() {},
      async write({ document }, query) {
        if (!document) throw new Error('items of batches are stored');
        const { id: documentId, bytes } = document;
        const upload = { accountId, keyId, item, documentId, bytes, isHeld: keptMs !== undefined };
        if (deliverTo) await uploads.enqueue({ ...upload, ...deliverTo }, query); // first, since the end of its batch waits for it
        written.completed = await queue.complete(item, { status: 'succeeded', document }, query);
      },
      async undo() {},
    };
  }

  async #failed(item: ClaimedItem, owner: Owner, thrown: unknown): Promise<void> {
    if (thrown instanceof ClaimLost) return;
    const { queue, places, onFault } = this.#services;
    const error = thrown instanceof ServiceError ? thrown : unexpected(thrown);
    describeSpan({ 'error.type': error.code });
    if (isOurs(error)) onFault(error.cause ?? error);
    try {
      if (error.code === 'concurrency_limited' && owner && 'plan' in owner) {
        places.wait(owner);
        return await this.#putBack(item, 0, { uncounted: true });
      }
      if (await this.#isToBeTriedAgain(item, owner, error))
        return await this.#putBack(item, this.#draining ? 0 : pauseAfter(item.attempts));
      const outcome: Outcome = { status: 'failed', error: itemErrorOf(error) };
      this.#tell(item, error.code, await queue.complete(item, outcome));
    } catch (fault) {
      if (fault instanceof ClaimLost) return;
      onFault(fault);
      await this.#putBack(item, MAX_PAUSE_MS).catch(() => {}); // the lease ends by itself
    }
  }

  async #isToBeTriedAgain({ attempts }: ClaimedItem, owner: Owner, error: ServiceError): Promise<boolean> {
    if (this.#end.signal.aborted || hasCode(error, 'shutting_down')) return attempts <= MAX_CLAIMS;
    if (attempts >= MAX_ATTEMPTS) return false;
    if (owner instanceof Error) return true;
    if (hasCode(error, 'quota_exceeded') && owner) return this.#services.mayComeBack(owner.accountId);
    return passes(error);
  }

  async #putBack(item: ClaimedItem, pauseMs: number, options?: { uncounted: boolean }): Promise<void> {
    this.#tellCancelled(await this.#services.queue.release(item, pauseMs, options));
    setTimeout(() => this.#workCame(item.keyId), pauseMs).unref();
  }

  #tellCancelled(late: CancelledLate[]): void {
    for (const cancelled of late) this.#tell(cancelled, 'cancelled', cancelled);
  }

  #tell({ batchId }: { batchId: string }, outcome: string, completed: Completed | undefined): void {
    if (!completed) return;
    this.#services.progress.outcome(batchId, outcome, completed.items);
    if (completed.batchEnded) this.#services.progress.ended(batchId);
  }

  /** Of one key, or perhaps of any. */
  #workCame(keyId?: string): void {
    if (keyId === undefined) this.#keys = undefined;
    else this.#keys?.add(keyId);
    this.wake();
  }

  async #recover(): Promise<void> {
    try {
      this.#tellCancelled(await this.#services.queue.recover());
    } catch (error) {
      this.#services.onFault(error);
    }
    this.#workCame();
  }
}

/** Items without a known account share one. */
function accountOf(owner: Owner): string {
  return owner && 'plan' in owner ? owner.accountId : '';
}

function unexpected(cause: unknown): ServiceError {
  return new ServiceError('internal_error', 'something went wrong on the server', { cause });
}
