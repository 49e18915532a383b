/** The secrets that sign the webhooks of an account: created at first use, and rotated with an overlap. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { createId } from '../ids.ts';
import type { Database, Query } from '../storage/database.ts';
import type { Selected } from '../storage/tables.ts';

const COLUMNS = ['secret', 'created_at as createdAt', 'valid_until as validUntil'] as const;
export type WebhookSecret = Selected<'webhook_secrets', (typeof COLUMNS)[number]>;

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;
/** How long a replaced secret keeps signing. */
const OVERLAP_MS = 86_400_000;
/** Maximum number of secrets that sign at the same time. */
const MAX_SECRETS = 4;

export class WebhookSecrets {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** The secrets that sign now, the current one first. */
  async of(accountId: string): Promise<[WebhookSecret, ...WebhookSecret[]]> {
    const [present, ...others] = await this.#valid(accountId);
    if (present?.validUntil === null) return [present, ...others];
    const row = this.#newRow(accountId);
    // If several requests come at the same time, only one creates the secret.
    await this.#database.query
      .insertInto('webhook_secrets')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await this.#database.flush();
    return this.of(accountId);
  }

  /** Replaces the secret. The old one keeps signing for 24 hours. */
  async rotate(accountId: string): Promise<[WebhookSecret, ...WebhookSecret[]]> {
    await this.of(accountId);
    await this.#database.transaction(async (query) => {
      await query
        .updateTable('webhook_secrets')
        .set({ valid_until: this.#clock() + OVERLAP_MS })
        .where('account_id', '=', accountId)
        .where('valid_until', 'is', null)
        .execute();
      await query.insertInto('webhook_secrets').values(this.#newRow(accountId)).execute();
      await this.#removeOldest(accountId, query);
    }, `webhook secrets ${accountId}`);
    await this.#database.flush();
    return this.of(accountId);
  }

  async removeEnded(): Promise<void> {
    await this.#database.query.deleteFrom('webhook_secrets').where('valid_until', '<=', this.#clock()).execute();
  }

  async #valid(accountId: string): Promise<WebhookSecret[]> {
    const rows = await this.#database.query
      .selectFrom('webhook_secrets')
      .select(COLUMNS)
      .where('account_id', '=', accountId)
      .where((eb) => eb.or([eb('valid_until', 'is', null), eb('valid_until', '>', this.#clock())]))
      .execute();
    return rows.sort((a, b) => validityEnd(b) - validityEnd(a));
  }

  async #removeOldest(accountId: string, query: Query): Promise<void> {
    const kept = query
      .selectFrom('webhook_secrets')
      .select('id')
      .where('account_id', '=', accountId)
      .orderBy((eb) => eb.fn.coalesce('valid_until', eb.lit(Number.MAX_SAFE_INTEGER)), 'desc')
      .limit(MAX_SECRETS);
    await query.deleteFrom('webhook_secrets').where('account_id', '=', accountId).where('id', 'not in', kept).execute();
  }

  #newRow(accountId: string) {
    return {
      id: createId('whs'),
      account_id: accountId,
      secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`,
      created_at: this.#clock(),
      valid_until: null,
    };
  }
}

function validityEnd({ validUntil }: { validUntil: number | null }): number {
  return validUntil ?? Number.MAX_SAFE_INTEGER;
}
