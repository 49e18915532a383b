/** Finds blobs in use: names in, those that a database row refers to out. */
import type { Database } from './database.ts';

export async function namedBlobs({ query }: Database, names: string[]): Promise<Set<string>> {
  const documents = await query
    .selectFrom('documents')
    .select('id')
    .where('id', 'in', names)
    .where('has_content', '=', 1)
    .execute();
  const answers = await query.selectFrom('idempotency_keys').select('blob').where('blob', 'in', names).execute();
  return new Set([...documents.map(({ id }) => id), ...answers.map(({ blob }) => blob ?? '')]);
}
