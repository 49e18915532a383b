/** Reads which migrations a database has, and says whether this version can use it. */
import { sql } from 'kysely';
import type { Query } from '../tables.ts';
import { migrations } from './index.ts';
import { isPostgres } from './read-schema.ts';

const [BASELINE = ''] = Object.keys(migrations);
/** The last of the migrations before the baseline, which made the tables of the baseline in 22 steps. */
const LAST_BEFORE_BASELINE = '0024-open-items';
/** The last commit with those migrations. */
const LAST_COMMIT = '43561a7a';

export interface Refusal {
  what: string;
  remedy: string;
}

/** Returns the names in their order, or nothing if there is no database yet. */
export async function readApplied(query: Query): Promise<string[]> {
  if (!(await hasTable(query, 'kysely_migration'))) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(query);
  return rows.map(({ name }) => name);
}

export async function hasTable(query: Query, name: string): Promise<boolean> {
  const found = isPostgres(query)
    ? sql<{ oid: unknown }>`select to_regclass(${name}) as oid`
    : sql<{ oid: unknown }>`select max(rowid) as oid from sqlite_schema where name = ${name}`;
  return Boolean((await found.execute(query)).rows[0]?.oid);
}

/** The migrations of this version that made the tables of the database. */
export function selectKnown(applied: string[]): string[] {
  return applied.includes(LAST_BEFORE_BASELINE) ? [BASELINE] : applied.filter((name) => name in migrations);
}

/** The migrations of a newer version. */
export function selectNewer(applied: string[]): string[] {
  return applied.filter((name) => name > BASELINE && !(name in migrations));
}

/** Returns why this version cannot use the database, or undefined if it can. */
export function findRefusal(applied: string[]): Refusal | undefined {
  if (selectNewer(applied).length)
    return {
      what: 'a newer version of Platen has migrated the database',
      remedy: 'use that version, or restore a backup',
    };
  const early = applied.filter((name) => name < BASELINE);
  if (!early.length || early.includes(LAST_BEFORE_BASELINE)) return undefined;
  return {
    what: `a checkout from before the first version made the database (its last migration is ${early.at(-1)})`,
    remedy: `start commit ${LAST_COMMIT} of Platen on it once, and this version after it`,
  };
}

/** Records the baseline in a database of the last checkout before it, whose tables are the same. The caller has compared them. */
export async function adoptBaseline(query: Query, applied: string[]): Promise<void> {
  if (!applied.includes(LAST_BEFORE_BASELINE)) return;
  await query.transaction().execute(async (own) => {
    await sql`insert into kysely_migration (name, timestamp) values (${BASELINE}, ${new Date().toISOString()})
      on conflict do nothing`.execute(own);
    await sql`delete from kysely_migration where name < ${BASELINE}`.execute(own);
  });
}
