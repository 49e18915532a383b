/**
 * Removes what deleted accounts left: documents, templates, files, certificates, batches, remembered replies, logged requests and webhooks,
 * and names in the audit log. Ids, dates, usage and the other entries of the audit log remain. A sweep calls it before it removes content.
 */

import type { Clock } from '../clock.ts';
import type { Database } from '../storage/database.ts';

/** What was running when an account was deleted may still store something, so its account is erased again for this long. */
const REPEATED_MS = 86_400_000;
/** Documents per statement, so that no request has to wait long for its turn to write. */
const MARKED_AT_ONCE = 500;

interface ErasingServices {
  database: Database;
  clock: Clock;
  removeTemplate(owner: { keyId: string; accountId: string }, id: string): Promise<void>;
  removeFiles(accountId: string): Promise<void>;
}

export async function eraseDeletedAccounts(services: ErasingServices): Promise<void> {
  const { database, clock } = services;
  const due = await database.query
    .selectFrom('accounts')
    .select('id')
    .where('deleted_at', 'is not', null)
    .where((eb) => eb.or([eb('erased_at', 'is', null), eb('erased_at', '<', eb('deleted_at', '+', REPEATED_MS))]))
    .execute();
  for (const { id } of due) {
    await eraseTemplates(services, id);
    await services.removeFiles(id);
    await markDocuments(services, id);
    await endRows(services, id);
    await database.query.updateTable('accounts').set({ erased_at: clock() }).where('id', '=', id).execute();
  }
}

async function eraseTemplates({ database: { query }, removeTemplate }: ErasingServices, accountId: string): Promise<void> {
  const templates = await query
    .selectFrom('templates')
    .innerJoin('api_keys', 'api_keys.id', 'templates.key_id')
    .select(['templates.id', 'key_id as keyId'])
    .where('api_keys.account_id', '=', accountId)
    .execute();
  for (const { id, keyId } of templates) await removeTemplate({ keyId, accountId }, id);
}

/** The sweep removes the content of these documents and the columns that describe it. */
async function markDocuments({ database: { query }, clock }: ErasingServices, accountId: string): Promise<void> {
  for (let marked = MARKED_AT_ONCE; marked === MARKED_AT_ONCE; ) {
    const { numUpdatedRows } = await query
      .updateTable('documents')
      .set({ deleted_at: clock(), remove_at: clock() })
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('documents')
          .select('id')
          .where('account_id', '=', accountId)
          .where('has_content', '=', 1)
          .where('deleted_at', 'is', null)
          .limit(MARKED_AT_ONCE),
      )
      .executeTakeFirstOrThrow();
    marked = Number(numUpdatedRows);
  }
}

/** Removes rows, and ends those that the sweep removes together with their content. */
async function endRows({ database, clock }: ErasingServices, accountId: string): Promise<void> {
  const now = clock();
  await database.transaction(async (query) => {
    await query.deleteFrom('certificates').where('account_id', '=', accountId).execute();
    await query.deleteFrom('webhook_deliveries').where('account_id', '=', accountId).execute();
    await query.updateTable('audit_entries').set({ names: null }).where('account_id', '=', accountId).execute();
    await query.deleteFrom('webhook_secrets').where('account_id', '=', accountId).execute();
    await query
      .updateTable('batches')
      .set((eb) => ({ kept_until: now, completed_at: eb.fn.coalesce('completed_at', eb.val(now)) }))
      .where('account_id', '=', accountId)
      .execute();
    await query.updateTable('failure_pictures').set({ remove_at: now }).where('account_id', '=', accountId).execute();
    const keys = query.selectFrom('api_keys').select('id').where('account_id', '=', accountId);
    await query.deleteFrom('logged_requests').where('key_id', 'in', keys).execute();
    const replies = query.updateTable('idempotency_keys').where('key_id', 'in', keys);
    await replies.set({ expires_at: now }).execute();
    await replies.set({ blob_until: now }).where('blob', 'is not', null).execute();
  });
}
