/** Lists that stay stable while rows come and go: newest first, continued after the last row that was given. */
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Tables } from './tables.ts';

/** A row's place in its list. */
export interface Position {
  createdAt: number;
  id: string;
}

type Listed = 'templates' | 'documents' | 'batches' | 'webhook_deliveries';

/** For `where`: the rows that come after a position; without one, all of them. */
export function isAfter<T extends Listed>(position: Position | undefined) {
  return (eb: ExpressionBuilder<Tables, T>): ExpressionWrapper<Tables, T, SqlBool> => {
    const rows = eb as unknown as ExpressionBuilder<Tables, Listed>;
    const condition = position
      ? rows(rows.refTuple('created_at', 'id'), '<', rows.tuple(position.createdAt, position.id))
      : rows.and([]);
    return condition as unknown as ExpressionWrapper<Tables, T, SqlBool>;
  };
}
