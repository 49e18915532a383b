/** Converts the objects of the services to the JSON of the API, with times in RFC 3339 and names in snake_case. */
import { documentType, type StoredDocument } from '../../documents/documents.ts';
import { REPORT_SCHEMA } from '../../render/report-schema.ts';
import type { Template } from '../../templates/template.ts';
import type { TemplateVersion } from '../../templates/versions.ts';
import { idMembers, recordSchema, TIME } from './response-schema.ts';

export function documentRecord(document: StoredDocument, origin: string) {
  return {
    id: document.id,
    document_id: document.id,
    filename: document.filename,
    type: documentType(document),
    bytes: document.bytes,
    pages: document.pages,
    ...(document.image && { width: document.image.width, height: document.image.height }),
    sha256: document.sha256,
    source: document.source,
    ...(document.templateId !== null && { template_id: document.templateId }),
    metadata: document.metadata,
    created_at: toIsoTime(document.createdAt),
    expires_at: toIsoTime(document.expiresAt),
    url: `${origin}/v1/documents/${document.id}`,
    ...(document.report && { report: document.report }),
  };
}

/** `reader` is the key that reads the template. */
export function templateRecord(template: Template, reader: { keyId: string }) {
  return {
    id: template.id,
    template_id: template.id,
    name: template.name,
    engine: template.engine,
    version: template.version,
    published_version: template.publishedVersion,
    placeholders: template.placeholders,
    metadata: template.metadata,
    visibility: template.visibility,
    owned: template.keyId === reader.keyId,
    created_at: toIsoTime(template.createdAt),
    updated_at: toIsoTime(template.updatedAt),
    ...(template.warnings?.length && { warnings: template.warnings }),
  };
}

export function versionRecord({ version, name, engine, bytes, publishedVersion, updatedAt }: TemplateVersion) {
  return { version, name, engine, bytes, published: version === publishedVersion, updated_at: toIsoTime(updatedAt) };
}

export function toIsoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toIsoTime(milliseconds);
}

export const METADATA_SCHEMA = {
  $id: 'Metadata',
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'As it was sent; empty if none was.',
  examples: [{ order: '1234' }],
};

export const DOCUMENT_SCHEMA = recordSchema(
  'Document',
  {
    ...idMembers('document_id', 'doc'),
    filename: { type: 'string', examples: ['invoice-42.pdf'] },
    type: { type: 'string', enum: ['application/pdf', 'image/png', 'image/jpeg', 'image/webp'] },
    bytes: { type: 'integer' },
    pages: { type: 'integer', description: '1 for an image.' },
    width: { type: 'integer', description: 'Pixels; only of an image.' },
    height: { type: 'integer', description: 'Pixels; only of an image.' },
    sha256: { type: 'string', description: 'Digest of the content, in hexadecimal; also its ETag.' },
    source: { type: 'string', enum: ['html', 'markdown', 'url', 'template', 'assembly'] },
    template_id: { type: 'string', description: 'Only of a template.' },
    metadata: METADATA_SCHEMA,
    created_at: TIME,
    expires_at: { ...TIME, description: 'From this time on, requests for the document are answered with 410.' },
    url: { type: 'string', format: 'uri', description: 'URL of the content, for the key that created it.' },
    report: REPORT_SCHEMA,
  },
  ['width', 'height', 'template_id', 'report'],
);

const WARNING_SCHEMA = recordSchema('TemplateWarning', {
  path: { type: 'string', examples: ['samples.short.customer'] },
  message: { type: 'string', examples: ['must be object'] },
});

export const TEMPLATE_SCHEMA = recordSchema(
  'Template',
  {
    ...idMembers('template_id', 'tpl'),
    name: { type: 'string' },
    engine: { type: 'string', enum: ['placeholders', 'liquid'] },
    version: { type: 'integer', description: 'Version number, which every PUT increases by 1.' },
    published_version: {
      type: ['integer', 'null'],
      description: 'The version that `@published` stands for; `null` if none is published.',
    },
    placeholders: { type: 'array', items: { type: 'string' }, description: 'The paths that the template reads from the data.' },
    metadata: METADATA_SCHEMA,
    visibility: {
      type: 'string',
      enum: ['key', 'account'],
      description: 'Whether only its key or every key of the account may read it.',
    },
    owned: { type: 'boolean', description: 'Whether it belongs to the key that reads it, which alone can change it.' },
    created_at: TIME,
    updated_at: TIME,
    warnings: {
      type: 'array',
      items: WARNING_SCHEMA,
      description: 'What of the samples breaks the schema, after a change of either. Absent if nothing does.',
    },
  },
  ['warnings'],
);

export const VERSION_SCHEMA = recordSchema('TemplateVersion', {
  version: { type: 'integer' },
  name: { type: 'string' },
  engine: { type: 'string', enum: ['placeholders', 'liquid'] },
  bytes: { type: 'integer', description: 'Size of the HTML and the schema.' },
  published: { type: 'boolean', description: 'Whether `@published` stands for this version.' },
  updated_at: { ...TIME, description: 'When this version was stored.' },
});

/** The query parameters of every list. */
export const PAGE_PARAMETERS = {
  limit: { $id: 'LimitParam', type: 'integer', minimum: 1, maximum: 100, default: 20 },
  cursor: { $id: 'CursorParam', type: 'string', description: 'The `next_cursor` of the page before.' },
};

export const NAME_PARAMETER = { $id: 'NameParam', type: 'string', description: 'Words of the name, in any order and case.' };

/** The query parameters of lists that can be filtered by metadata. */
export const FILTER_PARAMETERS = {
  ...PAGE_PARAMETERS,
  metadata: {
    $id: 'MetadataParam',
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'Only objects with this metadata, as `metadata[order]=1234`. If several are sent, all must match. A page may have fewer than `limit` records even if more follow.',
    examples: [{ order: '1234' }],
  },
};
