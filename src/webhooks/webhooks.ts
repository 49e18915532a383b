/** Stores webhook events in the transaction of the change they report, and lists them with the state of their delivery. */
import { type Actor, recordAudit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import type { ExpiredDocument } from '../documents/documents.ts';
import { ServiceError } from '../errors.ts';
import { createId, isId } from '../ids.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Database, Query } from '../storage/database.ts';
import { type ListPage, newestFirst, type Position, readListPage } from '../storage/listing.ts';
import type { Selected } from '../storage/tables.ts';
import { deliveryRow } from './delivery-row.ts';
import { type PastAttempt, readHistory } from './history.ts';

type WebhookType = 'batch.completed' | 'render.completed' | 'document.expired' | 'webhook.test';
export type DeliveryStatus = WebhookDelivery['status'];

export interface WebhookEvent {
  accountId: string;
  keyId: string;
  /** The URL that `parseWebhookUrl` returned. */
  url: string;
  type: WebhookType;
  /** The data as the receiver gets it: names in snake_case, times in RFC 3339. */
  data: object;
}

const COLUMNS = [
  'id',
  'type',
  'url',
  'status',
  'attempts',
  'error',
  'created_at as createdAt',
  'last_attempt_at as lastAttemptAt',
  'next_attempt_at as nextAttemptAt',
  'response_status as responseStatus',
] as const;
export type WebhookDelivery = Selected<'webhook_deliveries', (typeof COLUMNS)[number]>;

/** What an administrator sees of a delivery that was given up: the path of its URL may be secret. */
const FAILED_COLUMNS = [
  ...(['id', 'account_id as accountId', 'key_id as keyId', 'type', 'host', 'attempts', 'error'] as const),
  ...(['created_at as createdAt', 'last_attempt_at as lastAttemptAt', 'response_status as responseStatus'] as const),
] as const;
export type FailedWebhook = Selected<'webhook_deliveries', (typeof FAILED_COLUMNS)[number]>;

const KEPT_MS = 30 * 86_400_000;
const MAX_COUNTED = 1_000;
const REMOVED_AT_ONCE = 500;

export class Webhooks {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #jobs: Pick<Jobs, 'add'>;

  constructor(database: Database, clock: Clock, jobs: Pick<Jobs, 'add'>) {
    this.#database = database;
    this.#clock = clock;
    this.#jobs = jobs;
  }

  /**
   * Runs in the transaction of the caller, so that the event and the change it reports are stored together or not at all. Returns
   * the id. The payload is fixed now: every attempt sends the same bytes and the same id.
   */
  async enqueue({ accountId, keyId, url, type, data }: WebhookEvent, query: Query): Promise<string> {
    const now = this.#clock();
    const id = createId('msg');
    const payload = JSON.stringify({ type, timestamp: new Date(now).toISOString(), data });
    const row = deliveryRow({ id, accountId, keyId, type, url, payload, now });
    await query
      .insertInto('webhook_deliveries')
      .values({ ...row, next_attempt_at: now })
      .execute();
    await this.#jobs.add('webhook', accountId, query);
    return id;
  }

  /** Enqueues an event that says nothing, so that its owner sees whether it arrives. */
  async sendTest({ accountId, keyId }: Pick<WebhookEvent, 'accountId' | 'keyId'>, url: string): Promise<WebhookDelivery> {
    const event = { accountId, keyId, url, type: 'webhook.test', data: {} } as const;
    const id = await this.#database.transaction((query) => this.enqueue(event, query));
    await this.#database.flush();
    return this.#find(keyId, id);
  }

  /** Enqueues an event again that was delivered or given up, with the same id and body. Throws `not_found`, also if it is pending. */
  async resend({ keyId }: Pick<WebhookEvent, 'keyId'>, id: string): Promise<WebhookDelivery> {
    await this.#database.transaction((query) => this.#resend(query, id, ['delivered', 'failed'], keyId));
    await this.#database.flush();
    return this.#find(keyId, id);
  }

  /** The same for a webhook of any key that was given up. `actor` is the administrator's key. */
  async resendAny(id: string, actor: Actor): Promise<void> {
    await this.#database.transaction(async (query) => {
      const accountId = await this.#resend(query, id, ['failed']);
      await recordAudit(query, this.#clock(), { actor, action: 'webhook.resent', accountId, objectId: id });
    });
    await this.#database.flush();
  }

  /** Returns the account. */
  async #resend(query: Query, id: string, states: DeliveryStatus[], keyId?: string): Promise<string> {
    const row = await query
      .updateTable('webhook_deliveries')
      .set({ status: 'pending', attempts: 0, next_attempt_at: this.#clock() })
      .where('id', '=', id)
      .$if(keyId !== undefined, (own) => own.where('key_id', '=', keyId as string))
      .where('status', 'in', states)
      .where('batch_id', 'is', null)
      .where('payload', 'is not', null)
      .returning('account_id as accountId')
      .executeTakeFirst();
    if (!row) throw new ServiceError('not_found', 'there is no such webhook that can be sent again');
    await this.#jobs.add('webhook', row.accountId, query);
    return row.accountId;
  }

  #find(keyId: string, id: string): Promise<WebhookDelivery> {
    return this.#rows(keyId).where('id', '=', id).executeTakeFirstOrThrow();
  }

  /** A webhook with its body, which is null if it was removed, and its last attempts, oldest first. Throws `not_found`. */
  async read(keyId: string, id: string): Promise<WebhookDelivery & { payload: string | null; history: PastAttempt[] }> {
    const row = isId(id) && (await this.#rows(keyId).select(['payload', 'history']).where('id', '=', id).executeTakeFirst());
    if (!row) throw new ServiceError('not_found', 'there is no such webhook, or it belongs to another key');
    return { ...row, history: readHistory(row.history) };
  }

  #rows(keyId: string) {
    return this.#database.query
      .selectFrom('webhook_deliveries')
      .select(COLUMNS)
      .where('key_id', '=', keyId)
      .where('batch_id', 'is', null); // uploads are listed with their batch or render
  }

  /** Enqueues the event if the account has a URL for it. Call this in the transaction that marks the content as removed. */
  async documentExpired({ id, keyId, accountId, expiresAt }: ExpiredDocument, query: Query): Promise<void> {
    const account = await query
      .selectFrom('accounts')
      .select('document_expired_webhook_url as url')
      .where('id', '=', accountId)
      .executeTakeFirst();
    if (!account?.url) return;
    const data = { document_id: id, expired_at: new Date(expiresAt).toISOString() };
    await this.enqueue({ accountId, keyId, url: account.url, type: 'document.expired', data }, query);
  }

  /** Newest first, starting after the position `after`. */
  async list(keyId: string, limit: number, after?: Position): Promise<WebhookDelivery[]> {
    return newestFirst(this.#rows(keyId), limit, after).execute();
  }

  /** The webhooks of all accounts, or of one, that were given up, newest first. */
  async listFailed(limit: number, accountId: string | undefined, after?: Position): Promise<ListPage<FailedWebhook>> {
    const failed = this.#failed()
      .select(FAILED_COLUMNS)
      .$if(accountId !== undefined, (rows) => rows.where('account_id', '=', accountId as string));
    return readListPage(failed, { limit, after, toItem: (row) => row });
  }

  /** The number of webhooks of the last 30 days that were given up, 1,000 for more. */
  async countFailed(): Promise<number> {
    const recent = this.#failed().where('created_at', '>', this.#clock() - KEPT_MS);
    return (await recent.select('id').orderBy('created_at', 'desc').limit(MAX_COUNTED).execute()).length;
  }

  #failed() {
    return this.#database.query.selectFrom('webhook_deliveries').where('status', '=', 'failed').where('batch_id', 'is', null);
  }

  /** Removes deliveries that were enqueued at least 30 days ago and have ended. */
  async removeOld(): Promise<void> {
    for (let removed = REMOVED_AT_ONCE; removed === REMOVED_AT_ONCE; ) {
      const { numDeletedRows } = await this.#database.query
        .deleteFrom('webhook_deliveries')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('webhook_deliveries')
            .select('id')
            .where('created_at', '<=', this.#clock() - KEPT_MS)
            .where('next_attempt_at', 'is', null)
            .where('next_upload_at', 'is', null)
            .orderBy('created_at')
            .limit(REMOVED_AT_ONCE),
        )
        .executeTakeFirstOrThrow();
      removed = Number(numDeletedRows);
    }
  }
}
