/** Stores webhook events in the transaction of the change they report, and lists them with the state of their delivery. */
import type { Clock } from '../clock.ts';
import type { ExpiredDocument } from '../documents/documents.ts';
import { createId } from '../ids.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Database, Query } from '../storage/database.ts';
import { newestFirst, type Position } from '../storage/listing.ts';
import type { Selected } from '../storage/tables.ts';
import { deliveryRow } from './delivery-row.ts';

export type WebhookType = 'batch.completed' | 'render.completed' | 'document.expired';
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

const KEPT_MS = 30 * 86_400_000;
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
    const deliveries = this.#database.query
      .selectFrom('webhook_deliveries')
      .select(COLUMNS)
      .where('key_id', '=', keyId)
      .where('batch_id', 'is', null); // uploads are listed with their batch or render
    return newestFirst(deliveries, limit, after).execute();
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
