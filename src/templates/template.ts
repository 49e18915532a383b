/** A stored template without its HTML. */
import { type Metadata, readMetadata } from '../storage/metadata.ts';
import type { Tables } from '../storage/tables.ts';

export const ENGINES = ['placeholders', 'liquid'] as const;
export type EngineName = (typeof ENGINES)[number];

export interface Template {
  id: string;
  name: string;
  engine: EngineName;
  version: number;
  /** The paths that the template reads from the data. */
  placeholders: string[];
  metadata: Metadata;
  createdAt: number;
  updatedAt: number;
}

export const SUMMARY = ['id', 'name', 'engine', 'version', 'placeholders', 'metadata', 'created_at', 'updated_at'] as const;

export type SummaryRow = Pick<Tables['templates'], (typeof SUMMARY)[number]>;

export function toTemplate(row: SummaryRow): Template {
  return {
    id: row.id,
    name: row.name,
    engine: row.engine as EngineName,
    version: row.version,
    placeholders: JSON.parse(row.placeholders) as string[],
    metadata: readMetadata(row.metadata),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
