/** Finds blobs in use: names in, the names that a database row refers to out. */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { migrations } from './migrations/index.ts';
import type { Query } from './tables.ts';

/** Undefined if a newer version has migrated the database, because it may have tables that this version does not know. */
export async function readNamedBlobs({ query }: Database, names: string[]): Promise<Set<string> | undefined> {
  if (await isMigratedFurther(query)) return undefined;
  const documents = await query
    .selectFrom('documents')
    .select('id')
    .where('id', 'in', names)
    .where('has_content', '=', 1)
    .execute();
  const answers = await query.selectFrom('idempotency_keys').select('blob').where('blob', 'in', names).execute();
  const assets = await query.selectFrom('template_assets').select('blob').where('blob', 'in', names).execute();
  const shared = await query.selectFrom('account_assets').select('blob').where('blob', 'in', names).execute();
  const pictures = await query.selectFrom('failure_pictures').select('blob').where('blob', 'in', names).execute();
  return new Set([
    ...documents.map(({ id }) => id),
    ...[...answers, ...assets, ...shared, ...pictures].map(({ blob }) => blob ?? ''),
  ]);
}

async function isMigratedFurther(query: Query): Promise<boolean> {
  const own = Object.keys(migrations).at(-1); // migrations of newer versions sort after it
  const { rows } = await sql`select name from kysely_migration where name > ${own} limit 1`.execute(query);
  return rows.length > 0;
}
