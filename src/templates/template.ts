/** A stored template without its HTML. */
import type { FieldError } from '../errors.ts';
import { type Metadata, readMetadata } from '../storage/metadata.ts';
import type { Selected } from '../storage/tables.ts';

export const ENGINES = ['placeholders', 'liquid'] as const;
export type EngineName = (typeof ENGINES)[number];

export const SUMMARY = [
  'id',
  'name',
  'engine',
  'version',
  'placeholders',
  'metadata',
  'published_version as publishedVersion',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;
export type SummaryRow = Selected<'templates', (typeof SUMMARY)[number]>;

export interface Template extends Omit<SummaryRow, 'engine' | 'placeholders' | 'metadata'> {
  engine: EngineName;
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

export function toTemplate({ engine, placeholders, metadata, ...row }: SummaryRow): Template {
  return {
    ...row,
    engine: engine as EngineName,
    placeholders: JSON.parse(placeholders) as string[],
    metadata: readMetadata(metadata),
  };
}
