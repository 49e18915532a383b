/**
 * Delivery: rows that are due in, signed requests or uploads out, and back what became of them. A row is lent to an attempt for as long
 * as that can take, so that a process that dies loses nothing. A receiver may get an event twice, with the same id.
 */
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../accounts/leases.ts';
import type { OutboundPolicy } from '../egress/policy.ts';
import type { Database, Query } from '../storage/database.ts';
import type { Tables } from '../storage/tables.ts';
import { describeSpan, tracedLater, traceHeaders } from '../tracing.ts';
import { type Attempt, type AttemptResult, attempt, hasArrived } from './attempt.ts';
import type { WebhookSecrets } from './secrets.ts';
import { mayUpload, type OpenedUpload, type Uploads, uploadTimeoutMs } from './uploads.ts';

export type DeliveryOutcome = 'delivered' | 'retried' | 'failed';

export interface DelivererSettings {
  /** How long to wait after each attempt that fails; after one more it is over. */
  webhookRetryMs: readonly number[];
  webhookTimeoutMs: number;
}

export interface DelivererServices {
  database: Database;
  webhookSecrets: WebhookSecrets;
  uploads: Pick<Uploads, 'open' | 'settle'>;
  policy: OutboundPolicy;
  clock: Clock;
  onOutcome(outcome: DeliveryOutcome, details: { delivery_id: string; type: string; response_status?: number }): void;
  /** For the operator alone. */
  onRefused(details: { host: string; reason: string }): void;
  /** The delivery is tried again. */
  onFailure(error: unknown): void;
}

type Kind = 'webhook' | 'upload';

/** A row that is lent to an attempt. */
interface Due {
  kind: Kind;
  id: string;
  accountId: string;
  keyId: string;
  type: string;
  url: string;
  host: string;
  payload: string;
  attempts: number;
  leaseUntil: number;
  traceparent: string | null;
  /** Of an upload. */
  batchId: string | null;
  timeoutMs: number;
}

type Changes = Partial<Tables['webhook_deliveries']>;
/** Returns what is to be done once the transaction is committed. */
type Also = (query: Query) => Promise<() => Promise<void>>;

const POLL_MS = 1_000;
/** Attempts at one time: of all, of one account, to one host. An upload may take long, so that webhooks have places of their own. */
const MAX_ATTEMPTS = 32;
const MAX_OF_ACCOUNT = { webhook: 8, upload: 4 };
const MAX_TO_HOST = 3;
/** When the next attempt is due. */
const DUE = { webhook: 'next_attempt_at', upload: 'next_upload_at' } as const;
/** What an attempt takes besides its time-out. */
const LEASE_GRACE_MS = 5_000;
/** Every wait is up to a fifth longer, so that what failed together does not come back together. */
const JITTER = 0.2;
const GONE = 410;

export class Deliverer {
  readonly #services: DelivererServices;
  readonly #settings: DelivererSettings;
  readonly #underWay = new Map<Due, Promise<void>>();
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #pumping: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(services: DelivererServices, settings: DelivererSettings) {
    this.#services = services;
    this.#settings = settings;
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), POLL_MS).unref();
    this.wake();
  }

  /** There may be something due. Before `start` and after `stop` it changes nothing. */
  wake(): void {
    if (!this.#timer || this.#stopped) return;
    this.#again = true;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined;
    });
  }

  /** Begins no attempt any more. Those under way have until `late`; what is not done by then is tried after the next start. */
  async stop(late: Promise<unknown>): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#pumping;
    const attempts = Promise.all(this.#underWay.values());
    await Promise.race([attempts, late]);
    this.#end.abort();
    await attempts;
  }

  async #pump(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      await this.#beginDue().catch((error: unknown) => this.#services.onFailure(error));
    }
  }

  /** By turns, so that many of one kind do not keep the other waiting. */
  async #beginDue(): Promise<void> {
    const kinds = new Set<Kind>(['webhook', 'upload']);
    while (kinds.size && !this.#stopped) for (const kind of kinds) if (!(await this.#beginNext(kind))) kinds.delete(kind);
  }

  /** Whether one was begun. */
  async #beginNext(kind: Kind): Promise<boolean> {
    const underWay = [...this.#underWay.keys()].filter((each) => each.kind === kind);
    const due = underWay.length < MAX_ATTEMPTS ? await this.#claim(kind, underWay) : undefined;
    if (!due) return false;
    const done = this.#trace(due)
      .catch((error: unknown) => this.#services.onFailure(error))
      .finally(() => {
        this.#underWay.delete(due);
        this.wake();
      });
    this.#underWay.set(due, done);
    return true;
  }

  /** The one that is due longest, of those whose host and account have no more than their share under way. */
  async #claim(kind: Kind, underWay: Due[]): Promise<Due | undefined> {
    const { database, clock } = this.#services;
    const now = clock();
    const hosts = crowded(underWay, ({ host }) => host, MAX_TO_HOST);
    const accounts = crowded(underWay, ({ accountId }) => accountId, MAX_OF_ACCOUNT[kind]);
    const due = await database.query
      .selectFrom('webhook_deliveries')
      .select([
        'id',
        'account_id as accountId',
        'key_id as keyId',
        'type',
        'url',
        'host',
        'payload',
        'attempts',
        'lease_until as lease',
        'traceparent',
        'batch_id as batchId',
      ])
      .where(DUE[kind], '<=', now)
      .where('lease_until', '<=', now)
      .$if(hosts.length > 0, (query) => query.where('host', 'not in', hosts))
      .$if(accounts.length > 0, (query) => query.where('account_id', 'not in', accounts))
      .orderBy(DUE[kind])
      .limit(1)
      .executeTakeFirst();
    if (!due) return undefined;
    const { webhookTimeoutMs } = this.#settings;
    const payload = due.payload ?? '';
    const timeoutMs = kind === 'webhook' ? webhookTimeoutMs : uploadTimeoutMs(payload, webhookTimeoutMs);
    const leaseUntil = now + timeoutMs + LEASE_GRACE_MS;
    const attempts = due.attempts + 1;
    const taken = await this.#change(due.id, due.lease, { lease_until: leaseUntil, attempts, last_attempt_at: now });
    return taken ? { ...due, kind, payload, attempts, leaseUntil, timeoutMs } : undefined;
  }

  #trace(due: Due): Promise<void> {
    const { kind: name, traceparent, type, attempts } = due;
    const attributes = { 'platen.webhook_id': due.id, 'platen.webhook_type': type, 'platen.attempt': attempts };
    const deliver = () => (name === 'webhook' ? this.#deliver(due) : this.#upload(due));
    return tracedLater({ name, kind: 'client', traceparent, attributes }, deliver);
  }

  async #deliver(due: Due): Promise<void> {
    const body = [Buffer.from(due.payload)];
    const headers = { ...(await this.#headersOf(due)), ...traceHeaders() };
    await this.#services.database.flush(); // what a receiver has been told must not be told anew under another id after a loss of power
    const result = await this.#attempt(due, { url: due.url, method: 'POST', headers, body });
    await this.#settle(due, result, this.#outcomeOf(due, result));
  }

  async #upload(due: Due): Promise<void> {
    const { database, uploads } = this.#services;
    const opened = await uploads.open(due);
    await database.flush(); // what was uploaded must not be rendered anew after a loss of power
    const result: AttemptResult = opened
      ? await this.#attempt(due, { ...opened, method: 'PUT' })
      : { error: 'the document was deleted, or expired, or its key was revoked, before it could be uploaded' };
    const outcome = this.#uploadOutcomeOf(due, result, opened);
    await this.#settle(due, result, outcome, (query) => uploads.settle(due, opened, outcome === 'delivered', query));
  }

  async #attempt({ host, timeoutMs }: Due, sent: Pick<Attempt, 'url' | 'method' | 'headers' | 'body'>): Promise<AttemptResult> {
    const { policy, onRefused } = this.#services;
    const result = await attempt(policy, {
      ...sent,
      timeoutMs,
      idleMs: this.#settings.webhookTimeoutMs,
      signal: this.#end.signal,
    });
    if (result.refusal) onRefused({ host, reason: result.refusal.message });
    if (result.status !== undefined) describeSpan({ 'http.response.status_code': result.status });
    return result;
  }

  async #headersOf({ id, accountId, payload }: Due): Promise<Record<string, string>> {
    const secrets = await this.#services.webhookSecrets.of(accountId);
    const now = new Date(this.#services.clock());
    return {
      'content-type': 'application/json',
      'user-agent': 'Platen',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': secrets.map(({ secret }) => new Webhook(secret).sign(id, now, payload)).join(' '),
    };
  }

  /** `also` is done in the same transaction where there is no further attempt, and what it returns after it. */
  async #settle(due: Due, { status, error }: AttemptResult, outcome: DeliveryOutcome, also?: Also): Promise<void> {
    if (status === undefined && this.#end.signal.aborted) {
      await this.#change(due.id, due.leaseUntil, { lease_until: 0 });
      return;
    }
    const answer = { response_status: status ?? null, error: error ?? null, lease_until: 0 };
    if (outcome === 'retried')
      await this.#change(due.id, due.leaseUntil, { ...answer, [DUE[due.kind]]: this.#nextAttemptAt(due) });
    else await this.#finish(due, { ...answer, [DUE[due.kind]]: null, status: outcome, payload: null }, also);
    this.#services.onOutcome(outcome, {
      delivery_id: due.id,
      type: due.type,
      ...(status !== undefined && { response_status: status }),
    });
  }

  async #finish(due: Due, changes: Changes, also?: Also): Promise<void> {
    const afterwards = await this.#services.database.transaction(async (query) => {
      const isOurs = await this.#change(due.id, due.leaseUntil, changes, query);
      return isOurs ? also?.(query) : undefined;
    });
    await afterwards?.();
  }

  #outcomeOf({ attempts }: Due, result: AttemptResult): DeliveryOutcome {
    if (hasArrived(result)) return 'delivered';
    return result.status === GONE || this.#isLast(attempts) ? 'failed' : 'retried';
  }

  #uploadOutcomeOf(due: Due, result: AttemptResult, opened: OpenedUpload | undefined): DeliveryOutcome {
    if (hasArrived(result)) return 'delivered';
    if (!opened || !mayUpload(result) || this.#isLast(due.attempts)) return 'failed';
    return this.#nextAttemptAt(due) >= opened.expiresAt ? 'failed' : 'retried';
  }

  #isLast(attempts: number): boolean {
    return attempts > this.#settings.webhookRetryMs.length;
  }

  #nextAttemptAt({ attempts }: Due): number {
    const wait = this.#settings.webhookRetryMs[attempts - 1] ?? 0;
    return Math.round(this.#services.clock() + wait * (1 + JITTER * Math.random()));
  }

  /** Only while it is ours: a process that stood still finds that another has taken over. */
  async #change(id: string, lease: number, changes: Changes, query = this.#services.database.query): Promise<boolean> {
    const { numUpdatedRows } = await query
      .updateTable('webhook_deliveries')
      .set(changes)
      .where('id', '=', id)
      .where('lease_until', '=', lease)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }
}

/** The names that occur at least `max` times. */
function crowded(attempts: Iterable<Due>, nameOf: (due: Due) => string, max: number): string[] {
  const counts = new Map<string, number>();
  for (const due of attempts) counts.set(nameOf(due), (counts.get(nameOf(due)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= max).map(([name]) => name);
}
