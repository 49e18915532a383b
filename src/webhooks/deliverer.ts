/**
 * Delivers webhooks and uploads: due rows in, signed requests or uploads out, and their outcome back into the rows. Each attempt
 * holds a lease on its row for as long as it can take, so that nothing is lost when a process dies. A receiver may get an event
 * twice, with the same id.
 */
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../clock.ts';
import type { OutboundPolicy } from '../egress/policy.ts';
import { type ClaimResult, type Jobs, NO_WORK, type Task } from '../jobs/jobs.ts';
import { OwnerCounter } from '../queue/owner-counter.ts';
import type { Database, Query } from '../storage/database.ts';
import { selectAccountsWithDue } from '../storage/due-deliveries.ts';
import type { Tables } from '../storage/tables.ts';
import { describeSpan, runTracedLater, traceHeaders } from '../tracing.ts';
import { type Attempt, type AttemptResult, attempt, isDelivered } from './attempt.ts';
import { addToHistory, type PastAttempt } from './history.ts';
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
  onOutcome(outcome: DeliveryOutcome, details: AttemptDetails): void;
  /** Reports a refusal of the egress policy, for the operator only. */
  onRefused(kind: DeliveryKind, details: { host: string; reason: string; delivery_id: string }): void;
}

export type DeliveryKind = 'webhook' | 'upload';

/** What a log line says about an attempt. The path of the URL may be secret, and what was sent is. */
export interface AttemptDetails extends Subject {
  delivery_id: string;
  type: string;
  host: string;
  key_id: string;
  account_id: string;
  attempt: number;
  response_status: number | undefined;
  error: string | undefined;
}

interface Subject {
  batch_id?: string;
  render_id?: string;
  position?: number;
  document_id?: string;
}

type Row = Tables['webhook_deliveries'];

interface TimedResult extends AttemptResult {
  milliseconds: number;
}

/** A row that is leased to an attempt. */
interface Due extends Row {
  kind: DeliveryKind;
  payload: string;
  timeoutMs: number;
}

/** A further write in the transaction that ends a delivery. Returns a function to call after the commit. */
type OutcomeHook = (query: Query) => Promise<() => Promise<void>>;

/**
 * Limits of concurrent attempts: of one kind in total, per account, and per host. Uploads have their own limits, because they may
 * take long and must not delay webhooks.
 */
const MAX_ATTEMPTS = 32;
const MAX_OF_ACCOUNT = { webhook: 8, upload: 4 };
const MAX_TO_HOST = 3;
/** The pause of an account whose deliveries all wait for hosts at their limit, unless an attempt ends before. */
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
  /** The attempts in progress by account and by host. */
  readonly #ofAccount = { webhook: new OwnerCounter(), upload: new OwnerCounter() };
  readonly #toHost = { webhook: new OwnerCounter(), upload: new OwnerCounter() };
  readonly #end = new AbortController();

  constructor(services: DelivererServices, settings: DelivererSettings) {
    this.#services = services;
    this.#settings = settings;
  }

  /** The background task for one kind of delivery. Its owners are accounts. An attempt that was lost is due after its lease. */
  task(kind: DeliveryKind): Task {
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

  async #take(kind: DeliveryKind, accountId: string): Promise<ClaimResult> {
    const hasRoom = () => this.#ofAccount[kind].of(accountId) < MAX_OF_ACCOUNT[kind];
    if (!hasRoom()) return { kind: 'full', hasRoom };
    const due = await this.#claim(kind, accountId);
    if (due) return { kind: 'claimed', work: () => this.#run(due) };
    const next = await this.#selectPending(kind, accountId).executeTakeFirst();
    if (!next) return NO_WORK;
    return { kind: 'later', afterMs: Math.max((next[DUE[kind]] ?? 0) - this.#services.clock(), CROWDED_MS) };
  }

  async #run(due: Due): Promise<void> {
    const { id, kind, type, account_id, host, traceparent, attempts } = due;
    const attributes = { 'platen.webhook_id': id, 'platen.webhook_type': type, 'platen.attempt': attempts };
    const deliver = () => (kind === 'webhook' ? this.#deliver(due) : this.#upload(due));
    const ended = [this.#ofAccount[kind].add(account_id), this.#toHost[kind].add(host)];
    try {
      await runTracedLater({ name: kind, kind: 'client', traceparent, attributes }, deliver);
    } finally {
      const othersMayWait = this.#toHost[kind].of(host) >= MAX_TO_HOST;
      for (const end of ended) end();
      if (othersMayWait) await this.#services.jobs.add(kind, account_id);
    }
  }

  /** Claims the delivery of the account that has been due longest, leaving out hosts at their limit. */
  async #claim(kind: DeliveryKind, accountId: string): Promise<Due | undefined> {
    const now = this.#services.clock();
    const hosts = this.#toHost[kind].withAtLeast(MAX_TO_HOST);
    const row = await this.#selectPending(kind, accountId)
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
  #selectPending(kind: DeliveryKind, accountId: string) {
    return this.#services.database.query
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('account_id', '=', accountId)
      .where(DUE[kind], 'is not', null)
      .where('lease_until', '<=', this.#services.clock())
      .orderBy(DUE[kind])
      .limit(1);
  }

  async #deliver(due: Due): Promise<void> {
    const body = [Buffer.from(due.payload)];
    const headers = { ...(await this.#createHeaders(due)), ...traceHeaders() };
    await this.#services.database.flush(); // the receiver must not get the same event under another id after a power failure
    const result = await this.#attempt(due, { url: due.url, method: 'POST', headers, body });
    await this.#settle(
      { ...due, subject: readSubject(due.payload) },
      result,
      this.#toOutcome(due, result, result.status !== GONE),
    );
  }

  async #upload(due: Due): Promise<void> {
    const { database, uploads } = this.#services;
    const opened = await uploads.open(due);
    await database.flush(); // a document that was uploaded must not be rendered again after a power failure
    const result: TimedResult = opened
      ? await this.#attempt(due, { ...opened, method: 'PUT' })
      : { error: 'the document was deleted, or expired, or its key was revoked, before it could be uploaded', milliseconds: 0 };
    const mayRetry = opened !== undefined && mayRetryUpload(result) && this.#nextAttemptAt(due) < opened.expiresAt;
    const outcome = this.#toOutcome(due, result, mayRetry);
    const subject = {
      ...(due.batch_id !== null && { batch_id: due.batch_id, position: due.batch_position ?? 0 }),
      ...(opened && { document_id: opened.documentId }),
    };
    await this.#settle({ ...due, subject }, result, outcome, (query) =>
      uploads.settle(due, opened, outcome === 'delivered', query),
    );
  }

  async #attempt(
    { id, kind, host, timeoutMs }: Due,
    sent: Pick<Attempt, 'url' | 'method' | 'headers' | 'body'>,
  ): Promise<TimedResult> {
    const { policy, onRefused } = this.#services;
    const idleMs = this.#settings.webhookTimeoutMs;
    const begun = performance.now();
    const result = await attempt(policy, { ...sent, timeoutMs, idleMs, signal: this.#end.signal });
    if (result.refusal) onRefused(kind, { host, reason: result.refusal.message, delivery_id: id });
    if (result.status !== undefined) describeSpan({ 'http.response.status_code': result.status });
    return { ...result, milliseconds: Math.round(performance.now() - begun) };
  }

  async #createHeaders({ id, account_id, payload }: Due): Promise<Record<string, string>> {
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
   * Writes the outcome of an attempt. If it is final, `hook` runs in the same transaction, and the function that it returns runs
   * after the commit.
   */
  async #settle(
    { subject, ...due }: Due & { subject: Subject },
    result: TimedResult,
    outcome: DeliveryOutcome,
    hook?: OutcomeHook,
  ): Promise<void> {
    const { status, error } = result;
    if (status === undefined && this.#end.signal.aborted) {
      await this.#change(due, { lease_until: 0 });
      return;
    }
    const { database, jobs, onOutcome } = this.#services;
    const history = due.kind === 'webhook' ? addToHistory(due.history, toPastAttempt(due, result)) : null;
    const answer = { response_status: status ?? null, error: error ?? null, history, lease_until: 0 };
    if (outcome === 'retried') {
      await this.#change(due, { ...answer, [DUE[due.kind]]: this.#nextAttemptAt(due) });
      await jobs.add(due.kind, due.account_id);
    } else {
      const payload = due.kind === 'webhook' ? due.payload : null; // it can be sent again
      const ended = { ...answer, [DUE[due.kind]]: null, status: outcome, payload };
      const afterwards = await database.transaction(async (query) => (await this.#change(due, ended, query)) && hook?.(query));
      if (afterwards) await afterwards();
    }
    const { id: delivery_id, type, host, key_id, account_id, attempts: attempt } = due;
    onOutcome(outcome, { delivery_id, type, host, key_id, account_id, attempt, ...subject, response_status: status, error });
  }

  #toOutcome({ attempts }: Due, result: AttemptResult, mayRetry: boolean): DeliveryOutcome {
    if (isDelivered(result)) return 'delivered';
    return mayRetry && attempts <= this.#settings.webhookRetryMs.length ? 'retried' : 'failed';
  }

  #nextAttemptAt({ attempts }: Due): number {
    const wait = this.#settings.webhookRetryMs[attempts - 1] ?? 0;
    return Math.round(this.#services.clock() + wait * (1 + JITTER * Math.random()));
  }

  /** Changes the row unless another process has claimed it while this one was suspended. Returns whether it did. */
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

function toPastAttempt({ last_attempt_at }: Row, { status, beginning, error, milliseconds }: TimedResult): PastAttempt {
  return {
    ...{ startedAt: last_attempt_at ?? 0, milliseconds },
    ...(status !== undefined && { status }),
    ...(beginning && { beginning }),
    ...(error !== undefined && { error }),
  };
}

function readSubject(payload: string): Subject {
  const { data = {} } = JSON.parse(payload) as { data?: Subject };
  const { batch_id, render_id, document_id } = data;
  return { ...(batch_id && { batch_id }), ...(render_id && { render_id }), ...(document_id && { document_id }) };
}
