/** Copies all rows of a database into an empty one, from SQLite to PostgreSQL or back, and compares both before the commit. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { CommandError, hasCode } from '../../errors.ts';
import type { Database } from '../database.ts';
import { migrations } from '../migrations/index.ts';
import { readExpected } from '../migrations/schema.ts';
import type { Query } from '../tables.ts';

type Row = Record<string, unknown>;

interface Table {
  name: string;
  key: string[];
}

/** Number of rows that are read and written at once. A row of a template has up to five megabytes. */
const PAGE = 50;
const MODULUS = 1n << 256n;

/** Both have all migrations of this version. If the process dies, the target stays empty. Throws `CommandError`. */
export async function copyRows(from: Query, to: Database): Promise<void> {
  const tables = await listTables();
  await to.transaction(async (query) => {
    for (const table of tables) {
      const copied = new RowsDigest();
      for await (const rows of readPages(table, from)) {
        await insert(table, rows, query);
        for (const row of rows) copied.add(row);
      }
      const arrived = await digestRows(table, query);
      if (String(arrived) !== String(copied))
        throw new CommandError(
          `the rows of ${table.name} were not copied correctly: ${arrived.count} of ${copied.count} arrived, or values differ`,
        );
    }
  });
}

export async function isEmpty(query: Query): Promise<boolean> {
  for (const { name } of await listTables()) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(query);
    if (rows.length) return false;
  }
  return true;
}

/** A table comes after those that it refers to. */
async function listTables(): Promise<Table[]> {
  const parts = await readExpected(Object.keys(migrations), false);
  const keys = new Map(parts.filter(({ name }) => name === 'primary key').map((part) => [part.table, part.definition]));
  return [...new Set(parts.map(({ table }) => table))].map((name) => ({ name, key: (keys.get(name) ?? '').split(', ') }));
}

async function* readPages({ name, key }: Table, query: Query): AsyncIterable<Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  for (let last: Row | undefined; ; ) {
    const previous = last;
    const rest = previous ? sql`where (${columns}) > (${sql.join(key.map((column) => previous[column]))})` : sql``;
    const { rows } = await sql<Row>`select * from ${sql.table(name)} ${rest} order by ${columns} limit ${PAGE}`.execute(query);
    if (rows.length) yield rows;
    last = rows.at(-1);
    if (rows.length < PAGE) return;
  }
}

async function insert({ name, key }: Table, rows: Row[], query: Query): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => asParameter(row[column])))})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  try {
    await sql`insert into ${sql.table(name)} (${names}) values ${sql.join(values)}`.execute(query);
  } catch (error) {
    if (!hasCode(error, 'invalid_request')) throw error;
    const row = rows.find((each) => Object.values(each).some((value) => typeof value === 'string' && value.includes('\0')));
    const which = key.map((column) => `${row?.[column]}`).join(' ');
    throw new CommandError(`${name} ${which} has the character U+0000, which PostgreSQL cannot store: change or delete it first`);
  }
}

function asParameter(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

async function digestRows(table: Table, query: Query): Promise<RowsDigest> {
  const digest = new RowsDigest();
  for await (const rows of readPages(table, query)) for (const row of rows) digest.add(row);
  return digest;
}

/** A digest of rows that does not depend on their order, because databases sort text differently. */
class RowsDigest {
  count = 0;
  #sum = 0n;

  add(row: Row): void {
    const fields = Object.keys(row).sort();
    const values = fields.map((field) => [field, canonical(row[field])]);
    const hash = createHash('sha256').update(JSON.stringify(values)).digest('hex');
    this.#sum = (this.#sum + BigInt(`0x${hash}`)) % MODULUS;
    this.count++;
  }

  toString(): string {
    return `${this.count} ${this.#sum}`;
  }
}

function canonical(value: unknown): unknown {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
}
