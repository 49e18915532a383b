/** Stores earlier versions of templates, up to a limit, so that they can be viewed and restored. */
import type { Query } from '../storage/database.ts';
import type { Condition } from '../storage/tables.ts';
import { readTotal } from '../storage/totals.ts';
import type { VersionOf } from './assets.ts';
import { type SummaryRow, type Template, type TemplateWithHtml, toTemplate } from './template.ts';

/** A version without its HTML. */
export interface TemplateVersion extends Template {
  /** Size of the HTML and the schema in bytes of UTF-8. */
  bytes: number;
}

/** Number of stored versions of a template besides the current one. */
export const PAST_VERSIONS = 20;

const COPIED = ['version', 'key_id', 'name', 'engine', 'html', 'bytes', 'schema', 'placeholders', 'updated_at'] as const;
const DELETED = ['template_id as templateId', 'version'] as const;
const SUMMARY = ['version', 'name', 'engine', 'bytes', 'placeholders', 'updated_at as updatedAt'] as const;

/** Stores the current version as an earlier one. Call it before the template is replaced. Does nothing if there is no such template. */
export async function keepVersion(query: Query, keyId: string, id: string): Promise<void> {
  const current = query
    .selectFrom('templates')
    .select(['id', ...COPIED])
    .where('id', '=', id)
    .where('key_id', '=', keyId);
  await query
    .insertInto('template_versions')
    .columns(['template_id', ...COPIED])
    .expression(current)
    .execute();
}

/** Removes and returns the oldest versions of a template, beyond the number that is stored. A published one stays. */
export async function forgetOldVersions(query: Query, id: string): Promise<VersionOf[]> {
  const kept = query
    .selectFrom('template_versions')
    .select('version')
    .where('template_id', '=', id)
    .orderBy('version', 'desc')
    .limit(PAST_VERSIONS);
  return query
    .deleteFrom('template_versions')
    .where('template_id', '=', id)
    .where('version', 'not in', kept)
    .where(isUnpublished)
    .returning(DELETED)
    .execute();
}

/** The size of the HTML of the earlier versions of a key in bytes: of those that are published, or of the others. */
export async function countPastBytes(query: Query, keyId: string, which: 'published' | 'unpublished'): Promise<number> {
  const past = query.selectFrom('template_versions').where('key_id', '=', keyId);
  return (await readTotal(past.where(which === 'published' ? isPublished : isUnpublished))).bytes;
}

/** Removes and returns the oldest version of the key that is not published, and other such versions with the same time. */
export async function forgetTheOldest(query: Query, keyId: string): Promise<VersionOf[]> {
  const oldest = query.selectFrom('template_versions').select('updated_at').where('key_id', '=', keyId).where(isUnpublished);
  const row = await oldest.orderBy('updated_at').limit(1).executeTakeFirst();
  if (!row) return [];
  return query
    .deleteFrom('template_versions')
    .where('key_id', '=', keyId)
    .where('updated_at', '<=', row.updated_at)
    .where(isUnpublished)
    .returning(DELETED)
    .execute();
}

function isUnpublished(eb: Condition<'template_versions'>) {
  return eb.not(isPublished(eb));
}

function isPublished({ exists, selectFrom }: Condition<'template_versions'>) {
  const published = selectFrom('templates')
    .select('templates.id')
    .whereRef('templates.id', '=', 'template_versions.template_id')
    .whereRef('templates.published_version', '=', 'template_versions.version');
  return exists(published);
}

/** Lists versions, newest first. */
export async function readPastVersions(query: Query, template: Template): Promise<TemplateVersion[]> {
  const rows = await query
    .selectFrom('template_versions')
    .select(SUMMARY)
    .where('template_id', '=', template.id)
    .orderBy('version', 'desc')
    .execute();
  return rows.map((row) => toVersion(template, row));
}

export async function readPastVersion(query: Query, template: Template, version: number): Promise<TemplateWithHtml | undefined> {
  const row = await query
    .selectFrom('template_versions')
    .select([...SUMMARY, 'html', 'schema'])
    .where('template_id', '=', template.id)
    .where('version', '=', version)
    .executeTakeFirst();
  return row && toVersion(template, row);
}

/** The content of exactly this version, current or not. */
export async function readContent(query: Query, { templateId, version }: VersionOf) {
  const past = query
    .selectFrom('template_versions')
    .select(['name', 'html', 'schema'])
    .where('template_id', '=', templateId)
    .where('version', '=', version);
  return query
    .selectFrom('templates')
    .select(['name', 'html', 'schema'])
    .where('id', '=', templateId)
    .where('version', '=', version)
    .unionAll(past)
    .executeTakeFirst();
}

/** The number of the version that was current at a time, or of the oldest that is still stored. Undefined if there is none. */
export async function findVersionAsOf(query: Query, id: string, time: number): Promise<number | undefined> {
  const versions = query.selectFrom('template_versions').select('version').where('template_id', '=', id).limit(1);
  const then = await versions.where('updated_at', '<=', time).orderBy('version', 'desc').executeTakeFirst();
  return (then ?? (await versions.orderBy('version').executeTakeFirst()))?.version;
}

/** Fields that are not stored with a version come from the template. */
function toVersion<Row extends Pick<SummaryRow, 'name' | 'engine' | 'version' | 'placeholders' | 'updatedAt'>>(
  template: Template,
  row: Row,
): Row & Template {
  const { id, keyId, metadata, visibility, publishedVersion, createdAt } = template;
  const summary = { ...row, id, keyId, metadata: null, sharedAccountId: null, publishedVersion, createdAt };
  return { ...row, ...toTemplate(summary), metadata, visibility };
}
