/** Fills a database like a large installation would, with the same statements for PostgreSQL and SQLite. */
export const ACCOUNTS = 2_740;
export const DOCUMENTS = 100_000;
/** Days with renders, over all accounts: a year for each. */
export const USAGE_ROWS = ACCOUNTS * 365;
export const DELIVERIES = 100_000;
/** The first key has one in this many documents and deliveries. It also has batches, some of which have not started. */
const HOT_SHARE = 3;
const BATCHES = 10_000;
const OPEN_BATCHES = 500;
const ITEMS = 10;

/** The current time. All rows were created before it, and none has expired. */
export const NOW = Date.UTC(2026, 11, 31, 12);
const YEAR_MS = 365 * 86_400_000;
const LATER = NOW + YEAR_MS;

export const HOT = { accountId: 'acc_0', keyId: 'key_0', templateId: 'tpl_0000000000000000000000' };

const numbers = (count: number) => `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})`;
const two = (expression: string) => `substr(cast(100 + ${expression} as text), 2, 2)`;
const padded = (prefix: string) => `'${prefix}_' || substr(cast(10000000 + i as text), 2) || '000000000000000'`;
const hot = (otherwise: string) => `case when i % ${HOT_SHARE} = 0 then '0' else ${otherwise} end`;

export async function fill(run: (statement: string) => Promise<unknown>): Promise<void> {
  const owner = `cast(i % ${ACCOUNTS} as text)`;
  await run(`${numbers(ACCOUNTS)} insert into accounts (id, name, plan, auto_store, created_at)
    select 'acc_' || i, '', 'growth', 0, i from n`);
  await run(`${numbers(ACCOUNTS)} insert into api_keys (id, account_id, name, secret_hash, hint, created_at)
    select 'key_' || i, 'acc_' || i, '', 'hash ' || i, '', i from n`);
  await run(`${numbers(DOCUMENTS)} insert into documents
    (id, key_id, account_id, filename, bytes, pages, sha256, source, template_id, created_at, expires_at, remove_at, has_content)
    select ${padded('doc')}, 'key_' || ${hot(owner)}, 'acc_' || ${hot(owner)}, 'invoice ' || i || '.pdf', 40000, 1, 'x', 'html',
    case when i % 10 = 0 then '${HOT.templateId}' end, ${NOW - YEAR_MS} + i * 1000, ${LATER}, ${LATER}, 1 from n`);
  await run(`${numbers(DOCUMENTS)} insert into metadata_index
    (object_id, owner_key_id, object_kind, member, member_value, object_created_at)
    select ${padded('doc')}, 'key_' || ${hot(owner)}, 'document', 'tenant', cast(i % 4 as text), ${NOW - YEAR_MS} + i * 1000 from n`);
  const day = `(i / ${ACCOUNTS})`;
  await run(`${numbers(USAGE_ROWS)} insert into usage_days (account_id, day, documents)
    select 'acc_' || ${owner}, '2026-' || ${two(`(${day} / 31 + 1)`)} || '-' || ${two(`(${day} % 31 + 1)`)}, i % 50 from n`);
  await run(`${numbers(ACCOUNTS)} insert into usage_months (account_id, month, used) select 'acc_' || i, '2026-12', 5 from n`);
  await run(`${numbers(DELIVERIES)} insert into webhook_deliveries
    (id, account_id, key_id, type, url, host, status, attempts, created_at, lease_until)
    select ${padded('msg')}, 'acc_' || ${hot(owner)}, 'key_' || ${hot(owner)}, 'batch.completed', 'https://example.com/', 'example.com',
    'delivered', 1, ${NOW - YEAR_MS} + i * 1000, 0 from n`);
  const isOpen = `(i < ${OPEN_BATCHES})`;
  await run(`${numbers(BATCHES)} insert into batches (id, key_id, account_id, total, unfinished, succeeded, failed, cancelled,
    created_at, completed_at, kept_until) select case when i % 2 = 0 then 'ren_' else 'bat_' end || i, 'key_' || (i % 20), 'acc_' || (i % 20),
    ${ITEMS}, case when ${isOpen} then ${ITEMS} else 0 end, case when ${isOpen} then 0 else ${ITEMS} end, 0, 0,
    ${NOW} - i, case when ${isOpen} then null else ${NOW} end, ${LATER} from n`);
  await run(`${numbers(BATCHES * ITEMS)} insert into batch_items (batch_id, position, leader, status, due_at, attempts)
    select case when (i / ${ITEMS}) % 2 = 0 then 'ren_' else 'bat_' end || (i / ${ITEMS}), i % ${ITEMS}, i % ${ITEMS},
    case when i / ${ITEMS} < ${OPEN_BATCHES} then 'queued' else 'succeeded' end,
    case when i / ${ITEMS} < ${OPEN_BATCHES} then ${NOW} end, 0 from n`);
}
