/** Sums up what an account has rendered in a month, by key and by template: charged renders in, the largest sums out. */
import type { Query } from '../storage/database.ts';
import { prepareWrite } from '../storage/prepared.ts';

/** What a charged render made. */
export interface Rendered {
  documents: number;
  pages: number;
  bytes: number;
}

export interface UsageSum extends Rendered {
  /** Null for what has no template, and for what was charged before keys were counted. */
  id: string | null;
}

export interface UsageSums {
  /** The months with documents, oldest first. */
  months: Array<Rendered & { month: string }>;
  /** By documents, most first. */
  keys: UsageSum[];
  templates: UsageSum[];
}

interface NewSums extends Rendered {
  accountId: string;
  month: string;
  keyId: string;
  /** Empty for none. */
  templateId: string;
}

type Kind = 'key' | 'template';

const MAX_LISTED = 100;

/** Adds to the sums of the key and of the template. */
export const addToSums = prepareWrite((query, { accountId, month, keyId, templateId, documents, pages, bytes }: NewSums) => {
  const row = { account_id: accountId, month, documents, pages, bytes };
  return query
    .insertInto('usage_sums')
    .values([
      { ...row, kind: 'key', object_id: keyId },
      { ...row, kind: 'template', object_id: templateId },
    ])
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'kind', 'month', 'object_id']).doUpdateSet((eb) => ({
        documents: eb('usage_sums.documents', '+', documents),
        pages: eb('usage_sums.pages', '+', pages),
        bytes: eb('usage_sums.bytes', '+', bytes),
      })),
    );
});

/** The sums of `month`, such as `2026-11`, and those of the months from `since` until then. */
export async function readSums(
  query: Query,
  accountId: string,
  { since, month }: { since: string; month: string },
): Promise<UsageSums> {
  return {
    months: await readMonths(query, accountId, since, month),
    keys: await readLargest(query, accountId, 'key', month),
    templates: await readLargest(query, accountId, 'template', month),
  };
}

async function readMonths(query: Query, accountId: string, since: string, until: string): Promise<UsageSums['months']> {
  const months = await selectSums(query, accountId, 'key')
    .select(({ fn }) => ['month', fn.sum('documents').as('documents'), fn.sum('pages').as('pages'), fn.sum('bytes').as('bytes')])
    .where('month', '>=', since)
    .where('month', '<=', until)
    .groupBy('month')
    .orderBy('month')
    .execute();
  return months.map(({ month, ...sums }) => ({
    month,
    ...{ documents: Number(sums.documents), pages: Number(sums.pages), bytes: Number(sums.bytes) },
  }));
}

async function readLargest(query: Query, accountId: string, kind: Kind, month: string): Promise<UsageSum[]> {
  const rows = await selectSums(query, accountId, kind)
    .select(['object_id', 'documents', 'pages', 'bytes'])
    .where('month', '=', month)
    .orderBy('documents', 'desc')
    .orderBy('object_id')
    .limit(MAX_LISTED)
    .execute();
  return rows.map(({ object_id, ...sums }) => ({ id: object_id || null, ...sums }));
}

function selectSums(query: Query, accountId: string, kind: Kind) {
  return query.selectFrom('usage_sums').where('account_id', '=', accountId).where('kind', '=', kind);
}
