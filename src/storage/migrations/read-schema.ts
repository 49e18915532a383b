/** Reads the schema of a database from its catalog, in the same words for SQLite and PostgreSQL. */
import { PostgresAdapter, sql } from 'kysely';
import { readSchemaName } from '../postgres-requirements.ts';
import type { Query } from '../tables.ts';

/** What a table consists of, such as `column id` or `index documents_list`, with its definition. */
export interface Part {
  table: string;
  name: string;
  definition: string;
}

interface Row {
  table: string;
  name: string;
  definition: string;
  /** The default of a column or the condition of an index, as the database writes it. */
  expression: string | null;
}

export async function readSchema(query: Query): Promise<Part[]> {
  const statement = isPostgres(query) ? partsOfPostgres(await readSchemaName(query)) : PARTS_OF_SQLITE;
  const { rows } = await statement.execute(query);
  return rows.map(({ table, name, definition, expression }) => ({
    table,
    name,
    definition: `${definition.toLowerCase()} ${simplify(expression ?? '')}`.trim(),
  }));
}

export function isPostgres(query: Query): boolean {
  return query.getExecutor().adapter instanceof PostgresAdapter;
}

/** Removes what differs between databases: quotes, brackets, spaces and casts. SQLite has only the whole statement of an index. */
function simplify(expression: string): string {
  const condition = /^create .*?(?: where (.*))?$/is.exec(expression);
  return (condition ? (condition[1] ?? '') : expression).toLowerCase().replaceAll(/::\w+|[\s"'()]/g, '');
}

// The names are those of https://www.sqlite.org/pragma.html and https://www.postgresql.org/docs/current/catalogs.html.
// cspell:disable
const PARTS_OF_SQLITE = sql<Row>`
  with tables as (
    select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*' and name not glob 'kysely_*'
  )
  select t.name as "table", 'column ' || c.name as name, c.type || iif(c."notnull" and not c.pk, ' not null', '') as definition,
    c.dflt_value as expression
  from tables t, pragma_table_info(t.name) c
  union all
  select t.name, 'primary key', group_concat(c.name, ', ' order by c.pk), null
  from tables t, pragma_table_info(t.name) c where c.pk group by t.name
  union all
  select t.name, 'reference of ' || f."from", f."table" || '.' || f."to", null
  from tables t, pragma_foreign_key_list(t.name) f
  union all
  select t.name, iif(i.origin = 'u', 'unique key of ' || i.columns, iif(i."unique", 'unique index ', 'index ') || i.name), i.columns, s.sql
  from tables t, (
    select l.*, t.name as owner, (select group_concat(x.name, ', ' order by x.seqno) from pragma_index_info(l.name) x) as columns
    from tables t, pragma_index_list(t.name) l where l.origin <> 'pk'
  ) i join sqlite_schema s on s.name = i.name
  where i.owner = t.name`;

const partsOfPostgres = (schema: string) => sql<Row>`
  with tables as (
    select pg_class.oid, relname::text as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = ${schema} and relkind in ('r', 'p') and not starts_with(relname, 'kysely_')
  )
  select t.name as "table", 'column ' || a.attname as name,
    format_type(a.atttypid, a.atttypmod) || case when a.attnotnull and k.indkey is null then ' not null' else '' end as definition,
    pg_get_expr(d.adbin, d.adrelid) as expression
  from tables t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_index k on k.indrelid = t.oid and k.indisprimary and a.attnum = any(k.indkey)
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  union all
  select t.name, 'reference of ' || here.attname, other.relname || '.' || there.attname, null
  from tables t
    join pg_constraint c on c.conrelid = t.oid and c.contype = 'f'
    join pg_class other on other.oid = c.confrelid
    cross join unnest(c.conkey, c.confkey) as pair(here, there)
    join pg_attribute here on here.attrelid = c.conrelid and here.attnum = pair.here
    join pg_attribute there on there.attrelid = c.confrelid and there.attnum = pair.there
  union all
  select t.name,
    case when i.indisprimary then 'primary key' when c.oid is not null then 'unique key of ' || i.columns
      when i.indisunique then 'unique index ' || i.name else 'index ' || i.name end,
    i.columns, pg_get_expr(i.indpred, i.indrelid)
  from tables t
    join (
      select pg_index.*, relname as name,
        (select replace(string_agg(pg_get_indexdef(indexrelid, n, true), ', ' order by n), '"', '')
          from generate_series(1, indnkeyatts::integer) n) as columns
      from pg_index join pg_class on pg_class.oid = indexrelid
    ) i on i.indrelid = t.oid
    left join pg_constraint c on c.conindid = i.indexrelid and c.contype = 'u'`;
