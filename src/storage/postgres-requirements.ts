/** Checks that a PostgreSQL server and its database are suitable. Each check throws `storage_failed` with the remedy. */
import { sql } from 'kysely';
import { storageFailed } from '../errors.ts';
import type { Query } from './tables.ts';

const OLDEST_VERSION = 14;

export async function requireVersion(query: Query): Promise<void> {
  const { rows } = await sql<{ server_version_num: string }>`show server_version_num`.execute(query);
  const version = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (version < OLDEST_VERSION)
    throw storageFailed(`the server of PLATEN_DATABASE_URL is PostgreSQL ${version}; use ${OLDEST_VERSION} or later`);
}

/** Two connections must not share one of the server: locks, notices and settings belong to that. */
export async function requireSessions(query: Query, backendId: number): Promise<void> {
  const { rows } = await sql<{ id: number }>`select pg_backend_pid() as id`.execute(query);
  if (rows[0]?.id === backendId)
    throw storageFailed('PLATEN_DATABASE_URL leads to a pooler in transaction mode: use its session mode, or no pooler');
}

/** The schema in which the tables are, or will be: other schemas of the database may have tables of the same names. */
export async function readSchemaName(query: Query): Promise<string> {
  const { rows } = await sql<{ schema: string | null }>`
    select coalesce(
      (select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where pg_class.oid = to_regclass('kysely_migration')),
      current_schema()) as schema`.execute(query);
  const schema = rows[0]?.schema;
  if (!schema) throw storageFailed('no schema of the search_path of PLATEN_DATABASE_URL exists, or its user may not use it');
  return schema;
}

/** No other schema may have an installation: locks, notices and the schema of jobs belong to the database. */
export async function requireNoOther(query: Query, schema: string): Promise<void> {
  const { rows } = await sql<{ other: string }>`
    select nspname as other from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relname in ('api_keys', 'usage_months') and relkind = 'r' and nspname <> ${schema}
    group by nspname having count(*) = 2`.execute(query);
  const [found] = rows;
  if (found)
    throw storageFailed(`another installation of Platen is in the schema ${found.other}: give each one a database of its own`);
}
