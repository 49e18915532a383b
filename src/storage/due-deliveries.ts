/** Selects the accounts that have due webhooks or uploads, with a statement that is written for its index. */
import { sql } from 'kysely';
import { prepareQuery } from './prepared.ts';

/**
 * Skips from account to account in the index, because one account may have thousands of deliveries that wait for a receiver that
 * is down.
 */
const selectAccounts = (dueAt: string) =>
  prepareQuery((query, { now }: { now: number }) => {
    const due = sql.ref(dueAt);
    return {
      compile: () =>
        sql<{ account_id: string }>`
          with recursive waiting(account_id) as (
            select min(account_id) from webhook_deliveries where ${due} is not null
            union all
            select (select min(account_id) from webhook_deliveries where ${due} is not null and account_id > waiting.account_id)
            from waiting where waiting.account_id is not null
          )
          select account_id from waiting
          where exists (
            select 1 from webhook_deliveries
            where webhook_deliveries.account_id = waiting.account_id and ${due} <= ${now} and lease_until <= ${now}
          )`.compile(query),
    };
  });

export const selectAccountsWithDue = { webhook: selectAccounts('next_attempt_at'), upload: selectAccounts('next_upload_at') };
