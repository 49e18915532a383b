/** Lists that stay stable while rows come and go: newest first, continued after the last row that was given. */
import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** A row's place in its list. */
export interface Position {
  createdAt: number;
  id: string;
}

/** One page of a list, and after what the next one begins, if there is more to look at. */
export interface ListPage<R> {
  items: R[];
  next: Position | undefined;
}

export type Listed = 'templates' | 'documents' | 'batches' | 'webhook_deliveries';
/** The columns that hold the position of a row. */
export type Place = readonly [createdAt: 'created_at' | 'object_created_at', id: 'id' | 'object_id'];

const OWN_PLACE: Place = ['created_at', 'id'];
/** How many rows one search looks at, since the service waits for it: some ten milliseconds. */
const MAX_SEARCHED = 5_000;

/** One page of a selection: newest first, from after a position; without one, from the start. */
export function newestFirst<T extends Listed, O>(
  selection: SelectQueryBuilder<Tables, T, O>,
  limit: number,
  after: Position | undefined,
  place = OWN_PLACE,
): SelectQueryBuilder<Tables, T, O> {
  const rows = selection as unknown as SelectQueryBuilder<Tables, Listed | 'metadata_index', O>;
  const [createdAt, id] = place;
  const page = rows
    .$if(after !== undefined, (later) => later.where(placed('<', after as Position, place)))
    .orderBy(createdAt, 'desc')
    .orderBy(id, 'desc')
    .limit(limit);
  return page as unknown as SelectQueryBuilder<Tables, T, O>;
}

/** For `where`: the row stands later in the list than the position (`<`), or no later (`>=`). */
function placed(operator: '<' | '>=', { createdAt, id }: Position, place: Place) {
  return (rows: ExpressionBuilder<Tables, Listed | 'metadata_index'>): Expression<SqlBool> =>
    rows(rows.refTuple(...place), operator, rows.tuple(createdAt, id));
}

interface PageRequest<R, T extends Listed, O> {
  limit: number;
  after: Position | undefined;
  place?: Place | undefined;
  toItem(row: O): R;
  /** Leaves only some rows, which takes a look at each. A page is then shorter where too many would have to be looked at. */
  search?: ((rows: SelectQueryBuilder<Tables, T, O>) => SelectQueryBuilder<Tables, T, O>) | undefined;
}

/** One page of a selection, newest first. */
export async function readListPage<R extends Position, T extends Listed, O>(
  selection: SelectQueryBuilder<Tables, T, O>,
  { limit, after, place = OWN_PLACE, toItem, search }: PageRequest<R, T, O>,
): Promise<ListPage<R>> {
  const last = search && (await lastToSearch(selection, after, place));
  const found = search ? search(last ? noLaterThan(selection, last, place) : selection) : selection;
  const rows = await newestFirst(found, limit + 1, after, place).execute();
  const items = rows.slice(0, limit).map((row) => toItem(row as O));
  return { items, next: rows.length > limit ? items.at(-1) : last };
}

/** Undefined where there are fewer rows than one search looks at. */
async function lastToSearch<T extends Listed, O>(
  selection: SelectQueryBuilder<Tables, T, O>,
  after: Position | undefined,
  place: Place,
): Promise<Position | undefined> {
  const [createdAt, id] = place;
  const rows = newestFirst(selection, 1, after, place) as unknown as SelectQueryBuilder<Tables, Listed | 'metadata_index', O>;
  return rows
    .clearSelect()
    .select([`${createdAt} as createdAt`, `${id} as id`])
    .offset(MAX_SEARCHED - 1)
    .executeTakeFirst() as Promise<Position | undefined>;
}

function noLaterThan<T extends Listed, O>(selection: SelectQueryBuilder<Tables, T, O>, last: Position, place: Place) {
  const rows = selection as unknown as SelectQueryBuilder<Tables, Listed | 'metadata_index', O>;
  return rows.where(placed('>=', last, place)) as unknown as SelectQueryBuilder<Tables, T, O>;
}

/** For `where`: the column holds the text somewhere; the letters a to z match in either case. */
export function holdsText(column: 'filename', text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`; // both by the rules of the database
}
