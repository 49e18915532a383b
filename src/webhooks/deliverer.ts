/**
 * Delivers webhooks and uploads: due rows in, signed requests or uploads out, and their outcome back into the rows. Each attempt
 * holds a lease on its row for as long as it can take, so that nothing is lost when a process dies. A receiver may get an event
 * twice, with the same id.
 */
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../accounts/leases.ts';
import type { OutboundPolicy } from '../egress/policy.ts';
import type { Jobs, Task, Turn } from '../jobs/jobs.ts';
import type { Database, Query } from '../storage/database.ts';
import { selectAccountsWithDue } from '../storage/due-deliveries.ts';
import type { Tables } from '../storage/tables.ts';
import { describeSpan, tracedLater, traceHeaders } from '../tracing.ts';
import { type Attempt, type AttemptResult, attempt, isDelivered } from './attempt.ts';
import type { WebhookSecrets } from './secrets.ts';
import { mayRetryUpload, type Uploads, uploadTimeoutMs } from './uploads.ts';

export type DeliveryOutcome = 'delivered' | 'retried' | 'failed';

export interface DelivererSettings {
  /** The pauses after failed attempts. When the attempt after the last pause fails, the delivery fails. */
  webhookRetryMs: readonly number[];
  webhookTimeoutMs: number;
}

export interface DelivererServices {
  database: Database;
  webhookSecrets: WebhookSecrets;
  uploads: Pick<Uploads, 'open' | 'settle'>;
  policy: OutboundPolicy;
  clock: Clock;
  jobs: Pick<Jobs, 'add'>;
  onOutcome(outcome: DeliveryOutcome, details: { delivery_id: string; type: string; response_status: number | undefined }): void;
  /** Reports a refusal of the egress policy, for the operator only. */
  onRefused(details: { host: string; reason: string }): void;
}

type Kind = 'webhook' | 'upload';

type Row = Tables['webhook_deliveries'];

/** A row that is leased to an attempt. */
interface Due extends Row {
  kind: Kind;
  payload: string;
  timeoutMs: number;
}

/** A further write in the same transaction. Returns a function to call after the commit. */
type Also = (query: Query) => Promise<() => Promise<void>>;

/**
 * Limits of concurrent attempts: of one kind in total, per account, and per host. Uploads have their own limits, because they may
 * take long and must not delay webhooks.
 */
const MAX_ATTEMPTS = 32;
const MAX_OF_ACCOUNT = { webhook: 8, upload: 4 };
const MAX_TO_HOST = 3;
/**
 * The pause before the next turn of an account whose deliveries all wait for hosts at their limit, unless an attempt ends before.
 */
const CROWDED_MS = 1_000;
/** The column with the time of the next attempt. */
const DUE = { webhook: 'next_attempt_at', upload: 'next_upload_at' } as const;
/** Added to the time-out of an attempt to get the length of its lease. */
const LEASE_GRACE_MS = 5_000;
/** Lengthens every pause by up to a fifth, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;
const GONE = 410;

export class Deliverer {
  readonly #services: DelivererServices;
  readonly #settings: DelivererSettings;
  readonly #underWay = new Set<Due>();
  readonly #end = new AbortController();

  constructor(services: DelivererServices, settings: DelivererSettings) {
    this.#services = services;
    this.#settings = settings;
  }

  /**
   * The background task for one kind of delivery. Its owners are accounts. Those that are due include the ones whose attempts were
   * lost, because their leases have expired.
   */
  task(kind: Kind): Task {
    const owners = async () => {
      const { rows } = await selectAccountsWithDue[kind](this.#services.database.query, { now: this.#services.clock() });
      return rows.map(({ account_id }) => account_id);
    };
    return { limit: MAX_ATTEMPTS, take: (accountId) => this.#take(kind, accountId), owners };
  }

  /** Aborts the attempts in progress, which are repeated after the next start. */
  abort(): void {
    this.#end.abort();
  }

  async #take(kind: Kind, accountId: string): Promise<Turn> {
    const hasRoom = () => this.#count((each) => each.kind === kind && each.account_id === accountId) < MAX_OF_ACCOUNT[kind];
    if (!hasRoom()) return { hasRoom };
    const due = await this.#claim(kind, accountId);
    if (due) return { work: () => this.#run(due) };
    const next = await this.#pending(kind, accountId).executeTakeFirst();
    return next && { afterMs: Math.max((next[DUE[kind]] ?? 0) - this.#services.clock(), CROWDED_MS) };
  }

  async #run(due: Due): Promise<void> {
    this.#underWay.add(due);
    try {
      await this.#trace(due);
    } finally {
      const othersMayWait = this.#crowdedHosts(due.kind).includes(due.host);
      this.#underWay.delete(due);
      if (othersMayWait) await this.#services.jobs.add(due.kind, due.account_id);
    }
  }

  #count(isMeant: (due: Due) => boolean): number {
    return [...this.#underWay].filter(isMeant).length;
  }

  /** Hosts that have reached their limit of concurrent attempts. */
  #crowdedHosts(kind: Kind): string[] {
    const hosts = new Set([...this.#underWay].map(({ host }) => host));
    return [...hosts].filter((host) => this.#count((each) => each.kind === kind && each.host === host) >= MAX_TO_HOST);
  }

  /** Claims the delivery of the account that has been due longest, leaving out hosts at their limit. */
  async #claim(kind: Kind, accountId: string): Promise<Due | undefined> {
    const now = this.#services.clock();
    const hosts = this.#crowdedHosts(kind);
    const row = await this.#pending(kind, accountId)
      .where(DUE[kind], '<=', now)
      .$if(hosts.length > 0, (query) => query.where('host', 'not in', hosts))
      .executeTakeFirst();
    if (!row) return undefined;
    const { webhookTimeoutMs } = this.#settings;
    const payload = row.payload ?? '';
    const timeoutMs = kind === 'webhook' ? webhookTimeoutMs : uploadTimeoutMs(payload, webhookTimeoutMs);
    const lease = { lease_until: now + timeoutMs + LEASE_GRACE_MS, attempts: row.attempts + 1, last_attempt_at: now };
    const isTaken = await this.#change(row, lease);
    return isTaken ? { ...row, ...lease, kind, payload, timeoutMs } : this.#claim(kind, accountId);
  }

  /** Selects the next delivery of the account that is not leased, whether it is due or not. */
  #pending(kind: Kind, accountId: string) {
    return this.#services.database.query
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('account_id', '=', accountId)
      .where(DUE[kind], 'is not', null)
      .where('lease_until', '<=', this.#services.clock())
      .orderBy(DUE[kind])
      .limit(1);
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
    await this.#services.database.flush(); // the receiver must not get the same event under another id after a power failure
    const result = await this.#attempt(due, { url: due.url, method: 'POST', headers, body });
    await this.#settle(due, result, this.#outcomeOf(due, result, result.status !== GONE));
  }

  async #upload(due: Due): Promise<void> {
    const { database, uploads } = this.#services;
    const opened = await uploads.open(due);
    await database.flush(); // a document that was uploaded must not be rendered again after a power failure
    const result: AttemptResult = opened
      ? await this.#attempt(due, { ...opened, method: 'PUT' })
      : { error: 'the document was deleted, or expired, or its key was revoked, before it could be uploaded' };
    const mayRetry = opened !== undefined && mayRetryUpload(result) && this.#nextAttemptAt(due) < opened.expiresAt;
    const outcome = this.#outcomeOf(due, result, mayRetry);
    await this.#settle(due, result, outcome, (query) => uploads.settle(due, opened, outcome === 'delivered', query));
  }

  async #attempt({ host, timeoutMs }: Due, sent: Pick<Attempt, 'url' | 'method' | 'headers' | 'body'>): Promise<AttemptResult> {
    const { policy, onRefused } = this.#services;
    const idleMs = this.#settings.webhookTimeoutMs;
    const result = await attempt(policy, { ...sent, timeoutMs, idleMs, signal: this.#end.signal });
    if (result.refusal) onRefused({ host, reason: result.refusal.message });
    if (result.status !== undefined) describeSpan({ 'http.response.status_code': result.status });
    return result;
  }

  async #headersOf({ id, account_id, payload }: Due): Promise<Record<string, string>> {
    const secrets = await this.#services.webhookSecrets.of(account_id);
    const now = new Date(this.#services.clock());
    return {
      'content-type': 'application/json',
      'user-agent': 'Platen',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': secrets.map(({ secret }) => new Webhook(secret).sign(id, now, payload)).join(' '),
    };
  }

  /**
   * Writes the outcome of an attempt. If it is final, `also` runs in the same transaction, and the function that it returns runs
   * after the commit.
   */
  async #settle(due: Due, { status, error }: AttemptResult, outcome: DeliveryOutcome, also?: Also): Promise<void> {
    if (status === undefined && this.#end.signal.aborted) {
      await this.#change(due, { lease_until: 0 });
      return;
    }
    const { database, jobs, onOutcome } = this.#services;
    const answer = { response_status: status ?? null, error: error ?? null, lease_until: 0 };
    if (outcome === 'retried') {
      await this.#change(due, { ...answer, [DUE[due.kind]]: this.#nextAttemptAt(due) });
      await jobs.add(due.kind, due.account_id);
    } else {
      const ended = { ...answer, [DUE[due.kind]]: null, status: outcome, payload: null };
      const afterwards = await database.transaction(async (query) => (await this.#change(due, ended, query)) && also?.(query));
      if (afterwards) await afterwards();
    }
    onOutcome(outcome, { delivery_id: due.id, type: due.type, response_status: status });
  }

  #outcomeOf({ attempts }: Due, result: AttemptResult, mayRetry: boolean): DeliveryOutcome {
    if (isDelivered(result)) return 'delivered';
    return mayRetry && attempts <= this.#settings.webhookRetryMs.length ? 'retried' : 'failed';
  }

  #nextAttemptAt({ attempts }: Due): number {
    const wait = this.#settings.webhookRetryMs[attempts - 1] ?? 0;
    return Math.round(this.#services.clock() + wait * (1 + JITTER * Math.random()));
  }

  /**
   * Changes the row only if this process still holds the lease; after a suspension another process may have claimed it. Returns
   * whether it did.
   */
  async #change({ id, lease_until }: Row, changes: Partial<Row>, query = this.#services.database.query): Promise<boolean> {
    const { numUpdatedRows } = await query
      .updateTable('webhook_deliveries')
      .set(changes)
      .where('id', '=', id)
      .where('lease_until', '=', lease_until)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }
}
