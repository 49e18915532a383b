/**
 * Delivery: rows that are due in, signed requests out, and back what became of them. A row is lent to an attempt for as long
 * as that can take, so that a process that dies loses nothing. A receiver may get an event twice, with the same id.
 */
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../accounts/leases.ts';
import type { OutboundPolicy } from '../egress/policy.ts';
import type { Database } from '../storage/database.ts';
import type { Tables } from '../storage/tables.ts';
import { type AttemptResult, attempt } from './attempt.ts';
import type { WebhookSecrets } from './secrets.ts';

export type DeliveryOutcome = 'delivered' | 'retried' | 'failed';

export interface DelivererSettings {
  /** How long to wait after each attempt that fails; after one more it is over. */
  webhookRetryMs: readonly number[];
  webhookTimeoutMs: number;
}

export interface DelivererServices {
  database: Database;
  webhookSecrets: WebhookSecrets;
  policy: OutboundPolicy;
  clock: Clock;
  onOutcome(outcome: DeliveryOutcome, details: { delivery_id: string; type: string; response_status?: number }): void;
  /** For the operator alone. */
  onRefused(details: { host: string; reason: string }): void;
  /** The delivery is tried again. */
  onFailure(error: unknown): void;
}

/** A row that is lent to an attempt. */
interface Due {
  id: string;
  accountId: string;
  type: string;
  url: string;
  host: string;
  payload: string;
  attempts: number;
  leaseUntil: number;
}

type Changes = Partial<Tables['webhook_deliveries']>;

const POLL_MS = 1_000;
/** Attempts at one time: of all, of one account, to one host. */
const MAX_ATTEMPTS = 32;
const MAX_OF_ACCOUNT = 8;
const MAX_TO_HOST = 3;
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

  async #beginDue(): Promise<void> {
    while (this.#underWay.size < MAX_ATTEMPTS && !this.#stopped) {
      const due = await this.#claim();
      if (!due) return;
      const done = this.#deliver(due)
        .catch((error: unknown) => this.#services.onFailure(error))
        .finally(() => {
          this.#underWay.delete(due);
          this.wake();
        });
      this.#underWay.set(due, done);
    }
  }

  /** The one that is due longest, of those whose host and account have no more than their share under way. */
  async #claim(): Promise<Due | undefined> {
    const { database, clock } = this.#services;
    const now = clock();
    const hosts = crowded(this.#underWay.keys(), ({ host }) => host, MAX_TO_HOST);
    const accounts = crowded(this.#underWay.keys(), ({ accountId }) => accountId, MAX_OF_ACCOUNT);
    const due = await database.query
      .selectFrom('webhook_deliveries')
      .select(['id', 'account_id as accountId', 'type', 'url', 'host', 'payload', 'attempts', 'lease_until as lease'])
      .where('next_attempt_at', '<=', now)
      .where('lease_until', '<=', now)
      .$if(hosts.length > 0, (query) => query.where('host', 'not in', hosts))
      .$if(accounts.length > 0, (query) => query.where('account_id', 'not in', accounts))
      .orderBy('next_attempt_at')
      .limit(1)
      .executeTakeFirst();
    if (!due) return undefined;
    const leaseUntil = now + this.#settings.webhookTimeoutMs + LEASE_GRACE_MS;
    const attempts = due.attempts + 1;
    const taken = await this.#change(due.id, due.lease, { lease_until: leaseUntil, attempts, last_attempt_at: now });
    return taken ? { ...due, payload: due.payload ?? '', attempts, leaseUntil } : undefined;
  }

  async #deliver(due: Due): Promise<void> {
    const { database, policy, onRefused } = this.#services;
    const body = [Buffer.from(due.payload)];
    const headers = await this.#headersOf(due);
    await database.flush(); // what a receiver has been told must not be told anew under another id after a loss of power
    const { webhookTimeoutMs: timeoutMs } = this.#settings;
    const result = await attempt(policy, { url: due.url, headers, body, timeoutMs, signal: this.#end.signal });
    if (result.refusal) onRefused({ host: due.host, reason: result.refusal.message });
    await this.#settle(due, result);
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

  async #settle(due: Due, { status, error }: AttemptResult): Promise<void> {
    if (status === undefined && this.#end.signal.aborted) {
      await this.#change(due.id, due.leaseUntil, { lease_until: 0 });
      return;
    }
    const outcome = this.#outcomeOf(due, status);
    const answer = { response_status: status ?? null, error: error ?? null, lease_until: 0 };
    const changes: Changes =
      outcome === 'retried'
        ? { ...answer, next_attempt_at: this.#nextAttemptAt(due) }
        : { ...answer, next_attempt_at: null, status: outcome, payload: null };
    await this.#change(due.id, due.leaseUntil, changes);
    this.#services.onOutcome(outcome, {
      delivery_id: due.id,
      type: due.type,
      ...(status !== undefined && { response_status: status }),
    });
  }

  #outcomeOf({ attempts }: Due, status = 0): DeliveryOutcome {
    if (status >= 200 && status < 300) return 'delivered';
    return status === GONE || attempts > this.#settings.webhookRetryMs.length ? 'failed' : 'retried';
  }

  #nextAttemptAt({ attempts }: Due): number {
    const wait = this.#settings.webhookRetryMs[attempts - 1] ?? 0;
    return Math.round(this.#services.clock() + wait * (1 + JITTER * Math.random()));
  }

  /** Only while it is ours: a process that stood still finds that another has taken over. */
  async #change(id: string, lease: number, changes: Changes): Promise<boolean> {
    const { numUpdatedRows } = await this.#services.database.query
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
