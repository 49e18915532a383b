/**
 * The background task that renders batch items: keys take turns, and each turn renders the next item of the key. The number of
 * items in progress is limited to what keeps the browsers busy, and no item starts while synchronous requests are waiting.
 */
import type { Principal } from '../accounts/accounts.ts';
import { hasCode, ServiceError } from '../errors.ts';
import { type ClaimResult, type Jobs, NO_WORK, type Task } from '../jobs/jobs.ts';
import { OwnerCounter } from '../queue/owner-counter.ts';
import type { AnyRequest, CommitHook, Delivery } from '../render/render.ts';
import type { RenderLimits } from '../render/request/render-request.ts';
import { failureFields } from '../request-log/failure-fields.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import type { PayloadCipher } from '../storage/payload-cipher.ts';
import { describeSpan, runTracedLater } from '../tracing.ts';
import type { Members } from '../validate.ts';
import type { Uploads } from '../webhooks/uploads.ts';
import { inWorkLog, noteDetails, noteResult, openWorkLog } from '../work-log.ts';
import type { AwaitedSlots } from './awaited-slots.ts';
import { type AnyItemRequest, parseItem } from './batch-request.ts';
import type { DatabaseQueue } from './database-queue.ts';
import { additionalData, DEFAULTS_POSITION, itemEndpoint } from './outcomes.ts';
import { toItemError } from './prepare-items.ts';
import type { Progress } from './progress.ts';
import {
  type CancelledAfterRequeue,
  type ClaimedItem,
  ClaimLostError,
  type Completed,
  type EndedItem,
  type Outcome,
} from './queue.ts';
import { isServiceFault, isTransient, MAX_ATTEMPTS, MAX_CLAIMS, MAX_PAUSE_MS, pauseAfter } from './retries.ts';

export interface RunnerServices {
  queue: DatabaseQueue;
  cipher: PayloadCipher;
  limits: RenderLimits;
  uploads: Pick<Uploads, 'enqueue'>;
  progress: Progress;
  requestLog: Pick<RequestLog, 'isOn' | 'note'>;
  jobs: Pick<Jobs, 'add'>;
  /** Resolves to undefined if the key was revoked. Throws `account_suspended`. */
  findPrincipal(keyId: string): Promise<Principal | undefined>;
  /** Whether an account that has used up its allowance may get some of it back. */
  hasReservations(accountId: string): Promise<boolean>;
  /** Whether the account may start one more render on this node. */
  hasRoom(principal: Principal): boolean;
  /** Accounts that have no free slot, counted over all nodes. */
  awaitedSlots: Pick<AwaitedSlots, 'wait' | 'isAwaited'>;
  pool: { hasRoomInBackground(owner: string): boolean; readonly capacity: number; estimateSeconds(renders: number): number };
  /** See `render/render.ts`. */
  render(item: AnyRequest, principal: Principal, client: AbortSignal, commitHook: CommitHook): Promise<Delivery>;
  onRendered(delivery: Delivery): void;
  /** Reports faults of the service, not of items, to the operator. */
  onFault(error: unknown): void;
  onAttempt?(line: object): void;
}

/** An error if the key was revoked, or if its plan cannot be determined. */
type Owner = Principal | ServiceError;

/** Items in progress for each page of the pool: those that are printed together, those that gather to follow them, and those that are being stored. */
const PER_PLACE = 16;
const LOAD_MS = 1_000;
/** How long turns are left to other nodes, if the next item of the key is of a kind that only they know. */
const DEFERRED_MS = 5_000;
/** How long the items of a suspended account wait before this process looks whether it was resumed. */
const SUSPENDED_MS = 10_000;

export class BatchRunner implements Task {
  readonly limit: number;
  readonly #services: RunnerServices;
  /** Items in progress, by account. */
  readonly #underWay = new OwnerCounter();
  readonly #end = new AbortController();
  #lastLoad: Promise<[queuedItems: number, keys: string[]]> = Promise.resolve([0, []]);
  #loadUntil = 0;

  constructor(services: RunnerServices) {
    this.#services = services;
    this.limit = services.pool.capacity * PER_PLACE;
  }

  async take(keyId: string): Promise<ClaimResult> {
    const { findPrincipal, queue } = this.#services;
    const known = await findPrincipal(keyId).catch((error) =>
      hasCode(error, 'account_suspended') ? error : internalError(error),
    );
    if (hasCode(known, 'account_suspended'))
      return (await queue.nextDue(keyId)) ? { kind: 'later', afterMs: SUSPENDED_MS } : NO_WORK;
    const owner = known ?? new ServiceError('unauthorized', 'the API key of this batch was revoked');
    const hasRoom = () => this.#mayBegin(owner);
    if (!hasRoom()) return { kind: 'full', hasRoom };
    const item = await queue.claim(keyId);
    if (item) return { kind: 'claimed', work: () => this.#attempt(item, owner) };
    const next = await queue.nextDue(keyId);
    if (!next) return NO_WORK;
    return next.isOfKnownKind ? { kind: 'later', afterMs: next.afterMs } : deferToNewerNodes();
  }

  async owners(): Promise<string[]> {
    const { queue } = this.#services;
    this.#tellCancelled(await queue.recover());
    return queue.keysWithWork();
  }

  /** Aborts the items in progress, which go back into the queue. */
  abort(): void {
    this.#end.abort();
  }

  /** Estimates when a batch with `unfinished` items ends, if keys take turns and items render at the present speed. */
  async estimateSeconds(unfinished: number): Promise<number> {
    const { queue, pool } = this.#services;
    if (performance.now() >= this.#loadUntil) {
      this.#loadUntil = performance.now() + LOAD_MS; // counts at most once per second
      this.#lastLoad = Promise.all([queue.countWaiting(), queue.keysWithWork()]);
      this.#lastLoad.catch(() => {
        this.#loadUntil = 0;
      });
    }
    const [waiting, keys] = await this.#lastLoad;
    return pool.estimateSeconds(Math.min(unfinished * Math.max(1, keys.length), waiting + this.#underWay.total));
  }

  /** Whether an item of the owner may start. Reserves a share of the items in progress for accounts that have none. */
  #mayBegin(owner: Owner): boolean {
    const { pool, hasRoom, awaitedSlots } = this.#services;
    const accountId = ownerAccount(owner);
    const left = this.limit - this.#underWay.total - (this.#underWay.of(accountId) ? pool.capacity : 0);
    if (!pool.hasRoomInBackground(accountId) || left <= 0) return false;
    return owner instanceof Error || (hasRoom(owner) && !awaitedSlots.isAwaited(accountId));
  }

  /** Traces and logs an attempt. */
  async #attempt(item: ClaimedItem, owner: Owner): Promise<void> {
    const { batchId, position, attempts, traceparent, keyId } = item;
    const attributes = { 'platen.batch_id': batchId, 'platen.batch_position': position, 'platen.attempt': attempts };
    const account = owner instanceof Error ? {} : { account_id: owner.accountId };
    const log = openWorkLog({ batch_id: batchId, position, key_id: keyId, ...account });
    const begun = performance.now();
    const ended = await inWorkLog(log, () =>
      runTracedLater({ name: 'batch item', kind: 'consumer', traceparent, attributes }, () => this.#run(item, owner)),
    );
    const milliseconds = Math.round(performance.now() - begun);
    this.#services.onAttempt?.({ ...log.origin, attempt: attempts, milliseconds, ...log.result });
    for (const item of ended) {
      const work = { endpoint: itemEndpoint(batchId), milliseconds, item: { batchId, ...item } };
      this.#services.requestLog.note(keyId, log, work);
    }
  }

  /** Returns the items that have their outcome now: none if the attempt is to be repeated. */
  async #run(item: ClaimedItem, owner: Owner): Promise<EndedItem[]> {
    const { render, onRendered, progress } = this.#services;
    const leave = this.#underWay.add(ownerAccount(owner));
    const written: { completed?: Completed & { ended: EndedItem[] } } = {};
    try {
      const request = this.#openRequest(item, owner);
      if (owner instanceof Error) throw owner;
      const principal = { ...owner, asOf: item.createdAt };
      onRendered(await render(request, principal, this.#end.signal, this.#createCommitHook(item, request, owner, written)));
      if (written.completed) progress.outcome(item.batchId, 'ok', written.completed);
      return written.completed?.ended ?? [];
    } catch (error) {
      const ended = await this.#handleFailure(item, owner, error);
      if (written.completed) progress.ended(item.batchId); // the outcome may have been committed, so watchers read it again
      return ended;
    } finally {
      leave();
    }
  }

  /** Throws as `parseItem` does, because the operator may have changed the limits since the batch was accepted. */
  #openRequest({ batchId, kind, position, attempts, ciphertext }: ClaimedItem, owner: Owner): AnyItemRequest {
    const { cipher, limits } = this.#services;
    if (attempts > MAX_CLAIMS) throw new ServiceError('internal_error', 'the service stopped each time it rendered this item');
    const item = cipher.decrypt(ciphertext.item, additionalData(batchId, position, kind));
    const defaults = ciphertext.defaults ? cipher.decrypt(ciphertext.defaults, additionalData(batchId, DEFAULTS_POSITION)) : {};
    return parseItem(item, defaults as Members, limits, kind, owner instanceof Error ? undefined : owner.options);
  }

  /** Writes the outcome in the transaction that charges for the document and stores it. */
  #createCommitHook(
    item: ClaimedItem,
    { deliverTo, keptMs }: AnyItemRequest,
    { accountId, keyId }: Principal,
    written: { completed?: Completed & { ended: EndedItem[] } },
  ): CommitHook {
    const { queue, uploads } = this.#services;
    return {
      async write({ document }, query) {
        if (!document) throw new Error('items of batches are stored');
        const { id: documentId, bytes } = document;
        const upload = { accountId, keyId, item, documentId, bytes, isHeld: keptMs !== undefined };
        if (deliverTo) await uploads.enqueue({ ...upload, ...deliverTo }, query); // first, because the batch does not end while an upload is pending
        written.completed = await queue.complete(item, { status: 'succeeded', document }, query);
      },
    };
  }

  async #handleFailure(item: ClaimedItem, owner: Owner, thrown: unknown): Promise<EndedItem[]> {
    if (thrown instanceof ClaimLostError) return [];
    const { awaitedSlots, onFault } = this.#services;
    const error = thrown instanceof ServiceError ? thrown : internalError(thrown);
    describeSpan({ 'error.type': error.code });
    noteResult({ code: error.code, ...failureFields(error) });
    noteDetails({ error });
    if (isServiceFault(error)) onFault(error.cause ?? error);
    try {
      if (error.code === 'concurrency_limited' && !(owner instanceof Error)) {
        awaitedSlots.wait(owner);
        return await this.#putBack(item, 0, { uncounted: true });
      }
      if (await this.#shouldRetry(item, owner, error))
        return await this.#putBack(item, this.#isEnding(error) ? 0 : pauseAfter(item.attempts));
      return await this.#fail(item, owner, error);
    } catch (fault) {
      if (fault instanceof ClaimLostError) return [];
      onFault(fault);
      await this.#putBack(item, MAX_PAUSE_MS).catch(() => {}); // otherwise the lease expires and recovery puts the item back
      return [];
    }
  }

  /** The request is kept for another run, unless the plan stores nothing. */
  async #fail(item: ClaimedItem, owner: Owner, error: ServiceError): Promise<EndedItem[]> {
    const { queue, progress, requestLog } = this.#services;
    const keepsRequest = requestLog.isOn && !(owner instanceof Error) && owner.plan.retentionMs > 0;
    const outcome: Outcome = { status: 'failed', error: toItemError(error), keepsRequest };
    const completed = await queue.complete(item, outcome);
    progress.outcome(item.batchId, error.code, completed);
    return completed.ended;
  }

  async #shouldRetry({ attempts }: ClaimedItem, owner: Owner, error: ServiceError): Promise<boolean> {
    if (this.#isEnding(error)) return attempts <= MAX_CLAIMS;
    if (attempts >= MAX_ATTEMPTS) return false;
    if (owner instanceof Error) return !hasCode(owner, 'unauthorized');
    if (hasCode(error, 'quota_exceeded')) return this.#services.hasReservations(owner.accountId);
    return isTransient(error);
  }

  #isEnding(error: ServiceError): boolean {
    return this.#end.signal.aborted || hasCode(error, 'shutting_down');
  }

  async #putBack(item: ClaimedItem, pauseMs: number, options?: { uncounted: boolean }): Promise<EndedItem[]> {
    const { queue, jobs } = this.#services;
    noteResult({ retried: true });
    this.#tellCancelled(await queue.release(item, pauseMs, options));
    await jobs.add('item', item.keyId);
    return [];
  }

  #tellCancelled(late: CancelledAfterRequeue[]): void {
    for (const cancelled of late) this.#services.progress.outcome(cancelled.batchId, 'cancelled', cancelled);
  }
}

/** The turn stays where it is, for nodes of a newer version, and this process asks for it again after a while. */
function deferToNewerNodes(): ClaimResult {
  const until = performance.now() + DEFERRED_MS;
  return { kind: 'full', hasRoom: () => performance.now() >= until };
}

/** Items without a known account share the empty account id. */
function ownerAccount(owner: Owner): string {
  return owner instanceof Error ? '' : owner.accountId;
}

function internalError(cause: unknown): ServiceError {
  return new ServiceError('internal_error', 'something went wrong on the server', { cause });
}
