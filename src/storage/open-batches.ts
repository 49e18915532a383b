/** Statements about batches that are built for their indexes. */
import { type SqlBool, sql } from 'kysely';
import { prepareQuery } from './prepared.ts';

/** These repeat the conditions of two partial indexes word for word, so that both databases use the indexes. */
export const isRender = sql<SqlBool>`substr(batches.id, 1, 4) = 'ren_'`;
export const isBatch = sql<SqlBool>`substr(batches.id, 1, 4) <> 'ren_'`;

/** Without a kind, a batch makes PDFs. */
export const isOfKind = (kinds: string[]) => sql<SqlBool>`(batches.kind is null or batches.kind in (${sql.join(kinds)}))`;

/**
 * Selects the API keys that have a batch item that is due. Steps from key to key in the index of open batches, because one key may
 * have thousands of them, and reads the batches of each key only up to the first with an item that is due.
 */
export const selectKeysWithWork = prepareQuery((query, { now }: { now: number }) => ({
  compile: () =>
    sql<{ key_id: string }>`
      with recursive open_keys(key_id) as (
        select min(key_id) from batches where completed_at is null
        union all
        select (select min(key_id) from batches where completed_at is null and key_id > open_keys.key_id)
        from open_keys where open_keys.key_id is not null
      )
      select key_id from open_keys
      where exists (
        select 1 from batches
        where batches.key_id = open_keys.key_id and completed_at is null and exists (
          select 1 from batch_items where batch_id = batches.id and due_at <= ${now}
        )
      )`.compile(query),
}));
