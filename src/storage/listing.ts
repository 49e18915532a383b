/** Lists that stay stable while rows come and go: newest first, continued after the last row that was given. */
import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** A row's place in its list. */
export interface Position {
  createdAt: number;
  id: string;
}

type Listed = 'templates' | 'documents' | 'batches' | 'webhook_deliveries';

/** One page of a selection: newest first, from after a position; without one, from the start. */
export function newestFirst<T extends Listed, O>(
  selection: SelectQueryBuilder<Tables, T, O>,
  limit: number,
  after: Position | undefined,
): SelectQueryBuilder<Tables, T, O> {
  const rows = selection as unknown as SelectQueryBuilder<Tables, Listed, O>;
  const page = rows
    .$if(after !== undefined, (later) => later.where(placed('<', after as Position)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  return page as unknown as SelectQueryBuilder<Tables, T, O>;
}

/** For `where`: the row stands later in the list than the position (`<`), or no later (`>=`). */
export function placed(operator: '<' | '>=', { createdAt, id }: Position) {
  return (rows: ExpressionBuilder<Tables, Listed>): Expression<SqlBool> =>
    rows(rows.refTuple('created_at', 'id'), operator, rows.tuple(createdAt, id));
}

/** For `where`: the column holds the text somewhere; the letters a to z match in either case. */
export function holdsText(column: 'filename', text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`; // both by the rules of the database
}
