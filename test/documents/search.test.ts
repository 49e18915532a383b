/** Searching many documents by name reads a limited number of rows at a time. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Principal } from '../../src/accounts/accounts.ts';
import { loadConfig } from '../../src/config.ts';
import type { DocumentFilter, ListPage, Position, StoredDocument } from '../../src/documents/documents.ts';
import { openServices } from '../../src/services.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { storageSettings } from '../support/storage-settings.ts';

const MANY = 12_000;
const TEMPLATE = 'tpl_0000000000000000000000';
const OF_TEMPLATE = [0, 6_500];
/** The names of the oldest document, one in the middle, and the newest. */
const NAMED: Record<number, string> = { 0: 'Übersicht first.pdf', 6000: 'übersicht middle.pdf', 11999: 'Übersicht last.pdf' };

const dataDir = await makeFolder();
const services = await openServices(
  loadConfig({ ...(await storageSettings(dataDir)), PLATEN_DATA_DIR: dataDir }).services,
  () => 1_800_000_000_000,
).then(closeAfterAll);
const { id } = await services.accounts.createAccount('free');
const owner = (await services.accounts.authenticate((await services.accounts.createKey(id)).secret)) as Principal;
await services.database.transaction(async (query) => {
  for (let n = 0; n < MANY; n++) await services.documents.insert(numbered(n), owner, query);
});
// PostgreSQL does this by itself within a minute.
if (services.database.isShared) await sql`analyze`.execute(services.database.query);

function numbered(n: number): StoredDocument {
  return {
    id: `doc_${String(n).padStart(22, '0')}`,
    filename: NAMED[n] ?? `invoice ${n}.pdf`,
    bytes: 1,
    pages: 1,
    sha256: '',
    source: 'html',
    templateId: OF_TEMPLATE.includes(n) ? TEMPLATE : null,
    metadata: { tenant: 'a' },
    createdAt: 1_700_000_000_000 + n,
    expiresAt: 1_900_000_000_000,
    report: { warning_count: 0 },
  };
}

async function pagesOf(text: string, limit: number): Promise<string[][]> {
  return pagesOfAll({ text }, limit);
}

async function pagesOfAll(filter: DocumentFilter, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let after: Position | undefined;
  do {
    const page: ListPage<StoredDocument> = await services.documents.list(owner.keyId, limit, filter, after);
    pages.push(page.items.map(({ filename }) => filename));
    after = page.next;
  } while (after);
  return pages;
}

test('finds all matches page by page, however few they are', async () => {
  const pages = await pagesOf('bersicht', 20);
  expect(pages.flat()).toEqual([NAMED[11_999], NAMED[6_000], NAMED[0]]);
  expect(pages).toHaveLength(7);
});

test('reads a limited number of documents with the same metadata when it filters by template', async () => {
  const pages = await pagesOfAll({ metadata: { tenant: 'a' }, templateId: TEMPLATE }, 20);
  expect(pages).toEqual([[], [], ['invoice 6500.pdf'], [], [], [NAMED[0]], []]);
});

test('uses the index for times among documents with the same metadata', async () => {
  const createdBefore = 1_700_000_000_000 + 2;
  expect(await pagesOfAll({ metadata: { tenant: 'a' }, createdBefore }, 20)).toEqual([['invoice 1.pdf', NAMED[0]]]);
});

test('returns empty pages until it finds a match', async () => {
  expect(await pagesOf('nowhere', 20)).toEqual([[], [], [], [], [], [], []]);
});

test('returns full pages without gaps', async () => {
  const pages = await pagesOf('invoice 1', 100);
  const expected = Array.from({ length: MANY }, (_, n) => numbered(n).filename).filter(
    (name) => name.startsWith('invoice') && name.includes('1'),
  );
  expect(pages.flat()).toEqual(expected.reverse());
});

test.each(['Übersicht', 'ÜBERSICHT', 'übersicht', 'u\u0308bersicht'])('finds %s in any case', async (text) => {
  const pages = await pagesOf(text, 20);
  expect(pages.flat()).toEqual([NAMED[11_999], NAMED[6_000], NAMED[0]]);
  expect(pages).toHaveLength(7);
});

test('finds words in any order, page by page', async () => {
  expect((await pagesOf('MIDDLE übersicht', 20)).flat()).toEqual([NAMED[6_000]]);
  expect((await pagesOf('11 invoice 99', 20)).flat()).toContain('invoice 11994.pdf');
  expect((await pagesOf('übersicht', 1)).flat()).toEqual([NAMED[11_999], NAMED[6_000], NAMED[0]]);
  expect((await pagesOf('ibersicht', 20)).flat()).toEqual([]);
});

test('finds an id immediately, however old', async () => {
  const { id } = numbered(0);
  expect(await pagesOf(id, 20)).toEqual([[NAMED[0]]]);
});
