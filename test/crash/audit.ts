/** Compares everything in the ledger with what the service answers and stores. */
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { bytesOf, type DocumentRecord, type List, type Problem, type TemplateRecord } from '../support/client.ts';
import { blobFiles } from '../support/data-folder.ts';
import type { Service } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';
import { type Account, htmlOf, isNamed, type Kept, type Ledger, mayBeOver, type Replaced } from './ledger.ts';
import { complaints, type Survivor } from './survivor.ts';

/** Where a document is found: names of files on the disk, ids in lists. */
interface Places {
  onDisk: Set<string>;
  listed: Set<string>;
}

/** `all` includes documents that were already found to be gone. */
export async function audit(ledger: Ledger, survivor: Survivor, service: Service, { all = false } = {}): Promise<void> {
  const onDisk = new Set((await blobFiles(survivor.dataDir)).map((file) => basename(file)));
  const listed = new Set<string>();
  for (const account of Object.values(ledger.accounts)) for (const id of await auditList(ledger, account)) listed.add(id);
  const documents = [...ledger.documents.values()].filter(({ buried }) => all || !buried);
  await inBatches(documents, (document) => auditDocument(document, { onDisk, listed }));
  await inBatches(ledger.replaced, (template) => auditReplaced(ledger, template));
  auditDatabase(ledger, survivor);
  expect(complaints(service)).toBe('');
}

export async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += 8) await Promise.all(items.slice(start, start + 8).map(work));
}

/** Every listed document is complete. One that is in no reply belongs to a render whose reply was lost. */
async function auditList(ledger: Ledger, account: Account): Promise<string[]> {
  const records: DocumentRecord[] = [];
  for (let cursor = ''; ; ) {
    const page = await account.client.json<List<DocumentRecord>>(`/v1/documents?limit=100${cursor}`);
    records.push(...page.data);
    if (!page.has_more) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  for (const record of records) {
    const document = ledger.document(account, record.document_id);
    if (document.filename === undefined) account.found++;
    document.filename ??= record.filename;
    document.sha256 ??= record.sha256;
    expect(record).toMatchObject({ filename: document.filename, sha256: document.sha256 });
    document.expiresAt ??= Date.parse(record.expires_at);
  }
  return records.map(({ document_id }) => document_id);
}

async function auditDocument(document: Kept, places: Places): Promise<void> {
  const { id, account, state } = document;
  const askedAt = Date.now();
  const response = await account.client.get(`/v1/documents/${id}`);
  const bytes = await bytesOf(response);
  if (response.status === 200) {
    expect(state, `${id} is back`).not.toBe('deleted');
    expect(askedAt, `${id} outlives its time`).toBeLessThan(document.expiresAt ?? Number.POSITIVE_INFINITY);
    expect(places.listed.has(id), `${id} is listed`).toBe(true);
    expect(sha256(bytes), `${id} is whole`).toBe(document.sha256);
    document.state = 'kept';
    return;
  }
  expect(response.status, `${id} (${state}): ${bytes}`).toBe(410);
  auditGone(document, (JSON.parse(bytes.toString()) as Problem).code, places);
}

function auditGone(document: Kept, code: string, { onDisk, listed }: Places): void {
  const { id, state } = document;
  if (state === 'kept' || listed.has(id)) expect(mayBeOver(document), `${id} is gone before its time`).toBe(true);
  if (state === 'kept') expect(code).toBe('document_expired');
  if (state === 'deleted') expect(code).toBe('document_deleted');
  if (state === 'deleted') expect(onDisk.has(id), `${id} is off the disk`).toBe(false);
  document.state = code === 'document_deleted' ? 'deleted' : 'kept';
  document.buried = true;
}

async function auditReplaced({ accounts }: Ledger, template: Replaced): Promise<void> {
  const { version, html } = await accounts.plain.client.json<TemplateRecord>(`/v1/templates/${template.id}`);
  expect([template.version, template.version + (template.pending ? 1 : 0)]).toContain(version);
  expect(html === htmlOf(template.worker, version), `template ${template.id} is whole`).toBe(true);
  template.version = version;
  template.pending = false;
}

function auditDatabase(ledger: Ledger, { databaseFile }: Survivor): void {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  database.exec('BEGIN');
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
  for (const account of Object.values(ledger.accounts)) auditBooks(account, database);
  database.close();
}

/** Compares the charges row by row. */
function auditBooks(account: Account, database: DatabaseSync): void {
  const { name, answered, found, lost, issued } = account;
  const { account_id: id, key_id: key } = issued;
  const count = (sql: string, ...values: string[]) => Number(Object.values(database.prepare(sql).get(...values) ?? {})[0]);
  const used = count('SELECT coalesce(sum(used), 0) FROM usage_months WHERE account_id = ?', id);
  const reserved = count('SELECT coalesce(sum(documents), 0) FROM reservations WHERE account_id = ?', id);
  const charged = count('SELECT coalesce(sum(documents), 0) FROM usage_days WHERE account_id = ?', id);
  const stored = count('SELECT count(*) FROM documents WHERE account_id = ?', id);
  const templates = count('SELECT count(*) FROM templates WHERE key_id = ?', key);
  const answers = (kind: string) =>
    count("SELECT count(*) FROM idempotency_keys WHERE key_id = ? AND answer ->> '$.kind' = ?", key, kind);
  expect(used, `${name}: used, but for leases`).toBe(charged + reserved);
  for (const kind of ['key', 'template'])
    expect(
      count('SELECT coalesce(sum(documents), 0) FROM usage_sums WHERE account_id = ? AND kind = ?', id, kind),
      `${name}: charged, by ${kind}`,
    ).toBe(charged);
  if (isNamed(account)) {
    expect(stored, `${name}: one document for each name`).toBe(answers('document'));
    const printed = answers('document') + answers('file') + answers('not_kept'); // the last if its retention is over
    expect(charged, `${name}: one charge for each name`).toBe(printed);
    expect(templates, `${name}: one template for each name`).toBe(answers('json'));
    expect(charged, `${name}: what was answered is charged`).toBeGreaterThanOrEqual(answered);
  } else {
    expect(charged, `${name}: charged is what was answered, and what was lost after it was stored`).toBe(answered + found);
    expect(found, `${name}: no more was stored than was requested`).toBeLessThanOrEqual(lost);
    expect(stored, `${name}: one charge for each document`).toBe(charged);
  }
}
