/** Sample data of templates: a name and JSON for each. They belong to a template and not to one of its versions. */
import { invalidField, ServiceError } from '../errors.ts';
import type { Query } from '../storage/tables.ts';
import { readTotal } from '../storage/totals.ts';

/** JSON by name. Null removes the sample that has the name. */
export type SampleChanges = ReadonlyMap<string, string | null>;

export const MAX_SAMPLES = 20;
/** Of all samples of a template together. */
export const MAX_SAMPLES_BYTES = 1_000_000;

interface SamplesOf {
  templateId: string;
  keyId: string;
}

/** JSON by name, sorted by name. */
export async function readSamples(query: Query, templateId: string): Promise<Map<string, string>> {
  const rows = await query
    .selectFrom('template_samples')
    .select(['name', 'data'])
    .where('template_id', '=', templateId)
    .orderBy('name')
    .execute();
  return new Map(rows.map(({ name, data }) => [name, data]));
}

/** Changes the samples with these names, and removes all others if `replacesAll`. Throws `content_too_large` and `invalid_request`. */
export async function writeSamples(
  query: Query,
  { templateId, keyId }: SamplesOf,
  changes: SampleChanges,
  replacesAll: boolean,
): Promise<void> {
  const names = [...changes.keys()];
  const stale = query.deleteFrom('template_samples').where('template_id', '=', templateId);
  if (replacesAll || names.length) await (replacesAll ? stale : stale.where('name', 'in', names)).execute();
  for (const [name, data] of changes) {
    if (data === null) continue;
    const row = { template_id: templateId, name, key_id: keyId, data, bytes: Buffer.byteLength(data) };
    await query.insertInto('template_samples').values(row).execute();
  }
  const { count, bytes } = await readTotal(query.selectFrom('template_samples').where('template_id', '=', templateId));
  if (count > MAX_SAMPLES) throw invalidField('samples', `would be ${count}; a template has at most ${MAX_SAMPLES}`);
  if (bytes <= MAX_SAMPLES_BYTES) return;
  throw new ServiceError(
    'content_too_large',
    `the samples of the template have ${bytes} bytes as JSON; at most ${MAX_SAMPLES_BYTES} are allowed`,
    { members: { limit: MAX_SAMPLES_BYTES, actual: bytes } },
  );
}
