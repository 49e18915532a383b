/** A selection of rows in; how many there are, and how many bytes they say they have, out. */
import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from './tables.ts';

type Measured = 'templates' | 'template_versions' | 'documents';

export async function totalOf<T extends Measured>(
  selection: SelectQueryBuilder<Tables, T, object>,
): Promise<{ count: number; bytes: number }> {
  const rows = selection as unknown as SelectQueryBuilder<Tables, Measured, object>;
  const { count, bytes } = await rows
    .select(({ fn }) => [fn.countAll<number | string>().as('count'), fn.sum<number | string | null>('bytes').as('bytes')])
    .executeTakeFirstOrThrow();
  return { count: Number(count), bytes: Number(bytes ?? 0) };
}
