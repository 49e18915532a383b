/**
 * Reads lists page by page, the newest first. A page begins after the last row of the page before, so that lists stay stable
 * while rows change.
 */
import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** The position of a row in its list: the cursor for the next page. */
export interface Position {
  createdAt: number;
  id: string;
}

/** One page of a list, and the position after which the next page begins, if there is one. */
export interface ListPage<R> {
  items: R[];
  next: Position | undefined;
}

export type Listed =
  | 'accounts'
  | 'audit_entries'
  | 'templates'
  | 'documents'
  | 'batches'
  | 'webhook_deliveries'
  | 'api_keys'
  | 'certificates'
  | 'logged_requests';
/** The columns that hold the position of a row. */
export type PositionColumns = readonly [createdAt: 'created_at' | 'object_created_at', id: 'id' | 'object_id'];

const OWN_COLUMNS: PositionColumns = ['created_at', 'id'];
const ASCII = /^[\0-\x7f]*$/;
/** Limits the rows that one search reads, because the event loop waits for it: about ten milliseconds. */
const MAX_SEARCHED = 2_000;

/** Selects one page after a position, the newest first. Without a position it begins at the start. */
export function newestFirst<T extends Listed, O>(
  selection: SelectQueryBuilder<Tables, T, O>,
  limit: number,
  after: Position | undefined,
  columns = OWN_COLUMNS,
): SelectQueryBuilder<Tables, T, O> {
  const rows = selection as unknown as SelectQueryBuilder<Tables, Listed | 'metadata_index', O>;
  const [createdAt, id] = columns;
  const page = rows
    .$if(after !== undefined, (later) => later.where(comparePosition('<', after as Position, columns)))
    .orderBy(createdAt, 'desc')
    .orderBy(id, 'desc')
    .limit(limit);
  return page as unknown as SelectQueryBuilder<Tables, T, O>;
}

/** A condition for `where`: the row comes after the position in the list (`<`), or not after it (`>=`). */
function comparePosition(operator: '<' | '>=', { createdAt, id }: Position, columns: PositionColumns) {
  return (rows: ExpressionBuilder<Tables, Listed | 'metadata_index'>): Expression<SqlBool> =>
    rows(rows.refTuple(...columns), operator, rows.tuple(createdAt, id));
}

interface PageRequest<R, T extends Listed, O> {
  limit: number;
  after: Position | undefined;
  columns?: PositionColumns | undefined;
  toItem(row: O): R;
  /** Filters rows without an index. The page may then be shorter, because the number of rows that are read is limited. */
  search?: ((rows: SelectQueryBuilder<Tables, T, O>) => SelectQueryBuilder<Tables, T, O>) | undefined;
  /** Filters items further than a search can. All rows that the search may read are then read at once. */
  keep?: ((item: R) => boolean) | undefined;
  /** The rows that a search reads, if they are not the whole selection. */
  searched?: SelectQueryBuilder<Tables, 'metadata_index', unknown> | undefined;
}

/** Reads one page, the newest first. */
export async function readListPage<R extends Position, T extends Listed, O>(
  selection: SelectQueryBuilder<Tables, T, O>,
  { limit, after, columns = OWN_COLUMNS, toItem, search, keep, searched }: PageRequest<R, T, O>,
): Promise<ListPage<R>> {
  const last = search && (await lastToSearch((searched ?? selection) as typeof selection, after, columns));
  const found = search ? search(last ? noLaterThan(selection, last, columns) : selection) : selection;
  const rows = await newestFirst(found, keep ? MAX_SEARCHED : limit + 1, after, columns).execute();
  const all = rows.map((row) => toItem(row as O));
  const kept = keep ? all.filter(keep) : all;
  const items = kept.slice(0, limit);
  return { items, next: kept.length > limit ? items.at(-1) : last };
}

/** Merges one page each of several lists into one page. None of the lists continues before the end of the result. */
export function mergeListPages<R extends Position>(pages: Array<ListPage<R>>, limit: number): ListPage<R> {
  const [page, ...others] = pages;
  if (page && !others.length) return page;
  const ends = pages.flatMap(({ next }) => next ?? []).sort(compareNewest);
  const items = pages.flatMap(({ items }) => items).sort(compareNewest);
  const [end] = ends;
  const complete = end ? items.filter((item) => compareNewest(item, end) <= 0) : items;
  const first = complete.slice(0, limit);
  return { items: first, next: complete.length > limit ? first.at(-1) : end };
}

function compareNewest(a: Position, b: Position): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/** The last row that one search may read. Undefined if there are fewer rows. */
async function lastToSearch<T extends Listed, O>(
  selection: SelectQueryBuilder<Tables, T, O>,
  after: Position | undefined,
  columns: PositionColumns,
): Promise<Position | undefined> {
  const [createdAt, id] = columns;
  const rows = newestFirst(selection, 1, after, columns) as unknown as SelectQueryBuilder<Tables, Listed | 'metadata_index', O>;
  return rows
    .clearSelect()
    .select([`${createdAt} as createdAt`, `${id} as id`])
    .offset(MAX_SEARCHED - 1)
    .executeTakeFirst() as Promise<Position | undefined>;
}

function noLaterThan<T extends Listed, O>(selection: SelectQueryBuilder<Tables, T, O>, last: Position, columns: PositionColumns) {
  const rows = selection as unknown as SelectQueryBuilder<Tables, Listed | 'metadata_index', O>;
  return rows.where(comparePosition('>=', last, columns)) as unknown as SelectQueryBuilder<Tables, T, O>;
}

export interface WordSearch {
  where<T extends keyof Tables>(eb: ExpressionBuilder<Tables, T>): Expression<SqlBool>;
  keep: ((text: string) => boolean) | undefined;
}

/**
 * Finds rows whose text contains all words of a query, in any order and in any case. Databases agree only on the case of the letters a
 * to z, so `where` selects rows by these, and `keep` compares the others. It is undefined if there are none.
 */
export function searchWords(column: 'filename' | 'name', query: string): WordSearch {
  const words = fold(query).split(/\s+/).filter(Boolean);
  return {
    where: (eb) => eb.and(words.map((word) => containsAscii(column, word))),
    keep: words.every((word) => ASCII.test(word)) ? undefined : (text) => words.every((word) => fold(text).includes(word)),
  };
}

/** A letter may be stored in one character or, with its accent apart, in two. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function containsAscii(column: 'filename' | 'name', word: string) {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&').replace(/[^\0-\x7f]+/g, '%')}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}
