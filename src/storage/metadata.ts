/**
 * Stores and finds metadata: names and values that callers attach to documents, templates and batches. The row of an object keeps
 * them as JSON; an index table with one row for each name and value finds objects without reading the others.
 */
import type { SelectQueryBuilder } from 'kysely';
import type { Listed, PositionColumns } from './listing.ts';
import { prepareInsert } from './prepared.ts';
import type { Query, Tables } from './tables.ts';

export type Metadata = Readonly<Record<string, string>>;

type Kind = Tables['metadata_index']['object_kind'];

/** The columns with the position of a row in a list that is filtered by metadata. The index has the order of the list. */
const INDEX_COLUMNS: PositionColumns = ['object_created_at', 'object_id'];

export function writeMetadata(metadata: Metadata): string | null {
  return Object.keys(metadata).length ? JSON.stringify(metadata) : null;
}

export function readMetadata(column: string | null): Metadata {
  return column === null ? {} : (JSON.parse(column) as Metadata);
}

/** Puts the metadata of a new object into the index. */
export async function indexMetadata(
  query: Query,
  kind: Kind,
  { id, keyId, createdAt }: { id: string; keyId: string; createdAt: number },
  metadata: Metadata,
): Promise<void> {
  const object = { object_id: id, owner_key_id: keyId, object_kind: kind, object_created_at: createdAt };
  for (const [member, member_value] of Object.entries(metadata)) await insertMember(query, { ...object, member, member_value });
}

const insertMember = prepareInsert('metadata_index', [
  'object_id',
  'owner_key_id',
  'object_kind',
  'object_created_at',
  'member',
  'member_value',
]);

export async function removeFromIndex(query: Query, id: string): Promise<void> {
  await query.deleteFrom('metadata_index').where('object_id', '=', id).execute();
}

export interface Filtered<T extends Listed, O> {
  rows: SelectQueryBuilder<Tables, T, O>;
  columns: PositionColumns | undefined;
  /** The rows that `search` reads, selected from the index alone, so that counting them reads no other rows. */
  searched: SelectQueryBuilder<Tables, 'metadata_index', unknown> | undefined;
  /** Applies the rest of the filter, for which there is no index. */
  search: ((rows: SelectQueryBuilder<Tables, T, O>) => SelectQueryBuilder<Tables, T, O>) | undefined;
}

interface Having {
  kind: Kind;
  keyId: string;
  metadata?: Metadata | undefined;
  createdAfter?: number | undefined;
  createdBefore?: number | undefined;
  /** Whether `rows` has another condition that most rows may not meet. */
  filtered?: boolean;
}

/** Restricts `rows` to those that have all of `metadata`. Without metadata, selects all of them. */
export function havingMetadata<T extends Listed, O>(
  query: Query,
  rows: SelectQueryBuilder<Tables, T, O>,
  having: Having,
): Filtered<T, O> {
  const [first, ...others] = Object.entries(having.metadata ?? {});
  if (!first) return { rows, columns: undefined, searched: undefined, search: undefined };
  const joined = (rows as unknown as SelectQueryBuilder<Tables, 'documents', O>).innerJoin('metadata_index', 'object_id', 'id');
  return {
    rows: inIndex(joined as unknown as Indexed<O>, having, first) as unknown as SelectQueryBuilder<Tables, T, O>,
    columns: INDEX_COLUMNS,
    searched: inIndex(query.selectFrom('metadata_index'), having, first),
    search: others.length || having.filtered ? (found) => havingAlso(found, others) : undefined,
  };
}

/** A search for rows with all of `metadata` whose owners differ, so that the index does not have the order of their list. */
export function searchMetadata(metadata: Metadata) {
  return <T extends Listed, O>(rows: SelectQueryBuilder<Tables, T, O>) => havingAlso(rows, Object.entries(metadata));
}

type Indexed<O> = SelectQueryBuilder<Tables, 'metadata_index', O>;

function inIndex<O>(rows: Indexed<O>, having: Having, [member, value]: [string, string]): Indexed<O> {
  const { kind, keyId, createdAfter, createdBefore } = having;
  return rows
    .where('owner_key_id', '=', keyId)
    .where('object_kind', '=', kind)
    .where('member', '=', member)
    .where('member_value', '=', value)
    .$if(createdAfter !== undefined, (later) => later.where('object_created_at', '>', createdAfter as number))
    .$if(createdBefore !== undefined, (earlier) => earlier.where('object_created_at', '<', createdBefore as number));
}

function havingAlso<T extends Listed, O>(rows: SelectQueryBuilder<Tables, T, O>, members: Array<[string, string]>) {
  if (!members.length) return rows;
  const found = rows as unknown as SelectQueryBuilder<Tables, 'documents', O>;
  return found.where(({ and, exists, selectFrom }) =>
    and(
      members.map(([member, value]) =>
        exists(
          selectFrom('metadata_index as also')
            .select('also.member')
            .whereRef('also.object_id', '=', 'id')
            .where('also.member', '=', member)
            .where('also.member_value', '=', value),
        ),
      ),
    ),
  ) as unknown as SelectQueryBuilder<Tables, T, O>;
}
