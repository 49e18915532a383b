/** Sums up a selection of rows: a query in, the number of rows and the total of their bytes out. */
import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from './tables.ts';

type Measured = 'templates' | 'template_versions' | 'template_samples' | 'documents';

/** The number of the selected rows. */
export async function readCount<T extends keyof Tables>(selection: SelectQueryBuilder<Tables, T, object>): Promise<number> {
  const rows = selection as unknown as SelectQueryBuilder<Tables, keyof Tables, object>;
  return (await rows.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count;
}

export async function readTotal<T extends Measured>(
  selection: SelectQueryBuilder<Tables, T, object>,
): Promise<{ count: number; bytes: number }> {
  const rows = selection as unknown as SelectQueryBuilder<Tables, Measured, object>;
  const { count, bytes } = await rows
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number | string | null>('bytes').as('bytes')])
    .executeTakeFirstOrThrow();
  return { count, bytes: Number(bytes ?? 0) };
}
