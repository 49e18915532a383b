/**
 * Compares the schema of a database with the one that its migrations make. They differ if somebody changed the tables, or if a landed
 * migration was changed: statements would then fail one by one, long after the start.
 */
import { openInMemory } from '../sqlite.ts';
import type { Query } from '../tables.ts';
import { type Refusal, readApplied, selectKnown, selectNewer } from './applied.ts';
import { migrations } from './index.ts';
import { isPostgres, type Part, readSchema } from './read-schema.ts';

/** Number of differences that an error names. */
const MAX_NAMED = 3;

/** Returns why this version cannot use the tables, or undefined if it can. */
export async function findChange(query: Query): Promise<Refusal | undefined> {
  const differences = await findDifferences(query);
  if (!differences.length) return undefined;
  return {
    what: `the tables of the database are not those that its migrations make (${differences.slice(0, MAX_NAMED).join('; ')})`,
    remedy: 'use the version of Platen that made them, or restore a backup',
  };
}

/** What a newer version has added is no difference. */
async function findDifferences(query: Query): Promise<string[]> {
  const applied = await readApplied(query);
  const expected = await readExpected(selectKnown(applied), isPostgres(query));
  const found = compare(expected, await readSchema(query), { mayHaveMore: selectNewer(applied).length > 0 });
  const wasMigratedMeanwhile = found.length > 0 && String(await readApplied(query)) !== String(applied);
  return wasMigratedMeanwhile ? findDifferences(query) : found;
}

/** What `readExpected` has returned, because a running service asks again and again. */
const remembered = new Map<string, Promise<Part[]>>();

/** The parts of all tables after these migrations. A table comes after those that it refers to. */
export function readExpected(names: string[], forPostgres: boolean): Promise<Part[]> {
  const key = [forPostgres, ...names].join(' ');
  const known = remembered.get(key) ?? migrateInMemory(names, forPostgres);
  remembered.set(key, known);
  return known;
}

async function migrateInMemory(names: string[], forPostgres: boolean): Promise<Part[]> {
  await using memory = openInMemory(forPostgres);
  for (const name of names) await migrations[name]?.up(memory.migrated);
  return await readSchema(memory.query); // before the database is closed
}

function compare(expected: Part[], actual: Part[], { mayHaveMore }: { mayHaveMore: boolean }): string[] {
  const partKey = ({ table, name }: Part) => `${table} ${name}`;
  const found = new Map(actual.map((part) => [partKey(part), part.definition]));
  const known = new Set(expected.map(partKey));
  const [tables, present] = [expected, actual].map((parts) => new Set(parts.map(({ table }) => table)));
  const missing = [...(tables ?? [])].filter((table) => !present?.has(table)).map((table) => `there is no table ${table}`);
  const changed = expected
    .filter((part) => present?.has(part.table) && found.get(partKey(part)) !== part.definition)
    .map((part) => describe(part, found.get(partKey(part))));
  // An operator may add tables, and indexes that make something faster.
  const more = actual.filter((part) => tables?.has(part.table) && !known.has(partKey(part)) && !part.name.startsWith('index '));
  return [...missing, ...changed, ...(mayHaveMore ? [] : more.map(({ table, name }) => `${table} has an unknown ${name}`))];
}

function describe({ table, name, definition }: Part, found: string | undefined): string {
  return found === undefined ? `${table} has no ${name}` : `${name} of ${table} is "${found}" instead of "${definition}"`;
}
