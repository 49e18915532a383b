/** Copies all rows of a SQLite database into an empty database in one transaction, and compares both before the commit. */
import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { CommandError, hasCode } from '../../errors.ts';
import type { Database } from '../database.ts';
import type { Query, Tables } from '../tables.ts';

type Row = Record<string, unknown>;

/** The tables with the columns of their primary keys. A table comes after those that it refers to. */
const TABLES: Readonly<Record<keyof Tables, readonly string[]>> = {
  accounts: ['id'],
  api_keys: ['id'],
  certificates: ['id'],
  templates: ['id'],
  template_versions: ['template_id', 'version'],
  template_assets: ['template_id', 'version', 'path'],
  documents: ['id'],
  metadata_index: ['object_id', 'member'],
  usage_months: ['account_id', 'month'],
  usage_days: ['account_id', 'day'],
  reservations: ['id'],
  idempotency_keys: ['key_id', 'name'],
  signing_keys: ['id'],
  batches: ['id'],
  batch_items: ['batch_id', 'position'],
  batch_requests: ['batch_id', 'position'],
  webhook_secrets: ['id'],
  webhook_deliveries: ['id'],
  visitor_requests: ['visitor'],
};
const NAMES = Object.keys(TABLES) as Array<keyof Tables>;

/** Limits of one statement. A row of a template has up to five megabytes. */
const MAX_ROWS = 200;
const MAX_CHARACTERS = 8_000_000;
const MODULUS = 1n << 256n;

/** Whether the target is empty, has the same rows as the source, or has other rows. */
export type TargetState = 'empty' | 'same' | 'different';

export async function compareRows(source: DatabaseSync, target: Query): Promise<TargetState> {
  const filled = [];
  for (const table of NAMES) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(target);
    if (rows.length) filled.push(table);
  }
  if (!filled.length) return 'empty';
  for (const table of NAMES) {
    const here = new Digest();
    for (const row of rowsOf(source, table)) here.add(row);
    if (here.toString() !== (await digestOf(table, target)).toString()) return 'different';
  }
  return 'same';
}

/** Returns the number of rows. If the process dies, the target stays empty. Throws `CommandError`. */
export async function moveRows(source: DatabaseSync, target: Database): Promise<number> {
  return target.transaction(async (query) => {
    let rows = 0;
    for (const table of NAMES) {
      const digest = new Digest();
      for (const batch of inBatches(rowsOf(source, table))) {
        await insert(table, batch, query);
        for (const row of batch) digest.add(row);
      }
      const arrived = await digestOf(table, query);
      if (arrived.toString() !== digest.toString())
        throw new CommandError(
          `the rows of ${table} were not copied correctly: ${arrived.count} of ${digest.count} arrived, or values differ`,
        );
      rows += digest.count;
    }
    return rows;
  });
}

function rowsOf(source: DatabaseSync, table: string): Iterable<Row> {
  return source.prepare(`SELECT * FROM ${table}`).iterate() as Iterable<Row>;
}

function* inBatches(rows: Iterable<Row>): Iterable<Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    characters += Object.values(row).reduce<number>((sum, value) => sum + sizeOf(value), 0);
    if (batch.length < MAX_ROWS && characters < MAX_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length) yield batch;
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
}

async function insert(table: keyof Tables, rows: Row[], query: Query): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => asParameter(row[column])))})`);
  try {
    await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))}) values ${sql.join(values)}`.execute(
      query,
    );
  } catch (error) {
    if (!hasCode(error, 'invalid_request')) throw error;
    const row = rows.find((each) => Object.values(each).some((value) => typeof value === 'string' && value.includes('\0')));
    const which = TABLES[table].map((column) => `${row?.[column]}`).join(' ');
    throw new CommandError(
      `${table} ${which} has the character U+0000, which PostgreSQL cannot store: change or delete it first`,
    );
  }
}

function asParameter(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

async function digestOf(table: keyof Tables, query: Query): Promise<Digest> {
  const digest = new Digest();
  const key = TABLES[table];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let after: Row | undefined;
  for (;;) {
    const last = after;
    const rest = last ? sql`where (${columns}) > (${sql.join(key.map((column) => last[column]))})` : sql``;
    const { rows } = await sql<Row>`select * from ${sql.table(table)} ${rest} order by ${columns} limit ${MAX_ROWS}`.execute(
      query,
    );
    for (const row of rows) digest.add(row);
    after = rows.at(-1);
    if (!after || rows.length < MAX_ROWS) return digest;
  }
}

/** A digest of rows that does not depend on their order, because databases sort text differently. */
class Digest {
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
