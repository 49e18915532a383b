/** A stored template without its HTML. */
import { type FieldError, ServiceError } from '../errors.ts';
import { type Metadata, readMetadata } from '../storage/metadata.ts';
import type { Condition, Selected } from '../storage/tables.ts';

export const ENGINES = ['placeholders', 'liquid'] as const;
export type EngineName = (typeof ENGINES)[number];

/** Who may read and render a template: only its key, or all keys of the account. */
export const VISIBILITIES = ['key', 'account'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** The key that owns templates or reads them, and the account under which rendering is queued. */
export interface TemplateOwner {
  keyId: string;
  accountId: string;
  /** Templates are rendered as they were at this time, if the versions are still stored. Default: now. */
  asOf?: number | undefined;
}

export const SUMMARY = [
  'id',
  'name',
  'engine',
  'version',
  'placeholders',
  'metadata',
  'published_version as publishedVersion',
  'key_id as keyId',
  'shared_account_id as sharedAccountId',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;
export type SummaryRow = Selected<'templates', (typeof SUMMARY)[number]>;

export interface Template extends Omit<SummaryRow, 'engine' | 'placeholders' | 'metadata' | 'sharedAccountId'> {
  engine: EngineName;
  visibility: Visibility;
  /** The paths that the template reads from the data. */
  placeholders: string[];
  metadata: Metadata;
  /** What is wrong with the samples, after a change of them or of the schema. */
  warnings?: FieldError[];
}

export interface TemplateWithHtml extends Template {
  html: string;
  /** JSON: the JSON Schema of the data. Null for none. */
  schema: string | null;
}

/** A template as a render names it. */
export interface TemplateRef {
  templateId: string;
  /** Default: the current version. */
  version?: number | 'published' | undefined;
}

export function toTemplate({ engine, placeholders, metadata, sharedAccountId, ...row }: SummaryRow): Template {
  return {
    ...row,
    engine: engine as EngineName,
    visibility: sharedAccountId === null ? 'key' : 'account',
    placeholders: JSON.parse(placeholders) as string[],
    metadata: readMetadata(metadata),
  };
}

/** The column that stores the visibility: the account whose keys may all read the template, or null. */
export function toSharedAccount(visibility: Visibility, { accountId }: TemplateOwner): string | null {
  return visibility === 'account' ? accountId : null;
}

/** A condition: the templates that a key may read, which are its own and those shared in its account. */
export function readableBy({ keyId, accountId }: TemplateOwner) {
  return (eb: Condition<'templates'>) =>
    eb.or([eb('templates.key_id', '=', keyId), eb('templates.shared_account_id', '=', accountId)]);
}

/** The size of a text in bytes of UTF-8. */
export function sizeOf(text: string | null | undefined): number {
  return Buffer.byteLength(text ?? '');
}

export function noSuchTemplate(field = ''): ServiceError {
  return new ServiceError('not_found', `${field}there is no such template, or it belongs to another key`);
}

/** `version` is null if `@published` was asked for and no version is published. */
export function noSuchVersion(id: string, version: number | null, field = ''): ServiceError {
  const detail =
    version === null
      ? `no version of the template is published: PATCH /v1/templates/${id} publishes one`
      : `version ${version} of the template is not stored: GET /v1/templates/${id}/versions lists the versions that are`;
  return new ServiceError('not_found', field + detail);
}
