/**
 * The tables of the first version that can be upgraded. Both databases understand this SQL. An index for work contains only
 * unfinished work, and those of documents only documents with content, because the rows of the others are kept for 410 replies and may
 * grow for years.
 */
import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const ACCOUNTS = [
  `create table accounts (
    id text primary key,
    name text not null,
    plan text not null,
    auto_store integer not null default 0,
    document_expired_webhook_url text,
    created_at bigint not null,
    suspended_at bigint,
    deleted_at bigint,
    erased_at bigint
  )`,
  'create index accounts_deleted on accounts (deleted_at) where deleted_at is not null',
  `create table api_keys (
    id text primary key,
    account_id text not null references accounts (id),
    name text not null,
    secret_hash text not null unique,
    hint text not null,
    scopes text,
    made_by text,
    created_at bigint not null,
    revoked_at bigint,
    previous_secret_hash text,
    previous_valid_until bigint,
    is_test integer not null default 0,
    last_used_at bigint,
    expires_at bigint,
    is_operator integer not null default 0
  )`,
  'create index api_keys_account on api_keys (account_id)',
  'create index api_keys_made_by on api_keys (made_by)',
  'create index api_keys_previous_secret on api_keys (previous_secret_hash) where previous_secret_hash is not null',
  `create table signing_keys (
    id text primary key,
    secret text not null,
    created_at bigint not null
  )`,
  `create table certificates (
    id text primary key,
    key_id text not null references api_keys (id),
    account_id text not null references accounts (id),
    name text not null,
    facts text not null,
    secret_key_id text not null,
    ciphertext bytea not null,
    created_at bigint not null
  )`,
  'create index certificates_list on certificates (key_id, created_at, id)',
  'create index certificates_account on certificates (account_id)',
];

const TEMPLATES = [
  `create table templates (
    id text primary key,
    key_id text not null references api_keys (id),
    name text not null,
    engine text not null,
    html text not null,
    bytes integer not null,
    version integer not null,
    placeholders text not null,
    metadata text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index templates_list on templates (key_id, created_at, id)',
  'create index templates_size on templates (key_id, bytes)',
  `create table template_versions (
    template_id text not null references templates (id),
    version integer not null,
    key_id text not null references api_keys (id),
    name text not null,
    engine text not null,
    html text not null,
    bytes bigint not null,
    placeholders text not null,
    updated_at bigint not null,
    constraint template_versions_key primary key (template_id, version)
  )`,
  'create index template_versions_age on template_versions (key_id, updated_at, bytes)',
  `create table template_assets (
    template_id text not null references templates (id),
    version integer not null,
    path text not null,
    key_id text not null references api_keys (id),
    type text not null,
    blob text not null,
    bytes bigint not null,
    constraint template_assets_key primary key (template_id, version, path)
  )`,
  'create index template_assets_blob on template_assets (blob)',
  'create index template_assets_owner on template_assets (key_id, blob, bytes)',
];

const DOCUMENTS = [
  `create table documents (
    id text primary key,
    key_id text not null references api_keys (id),
    account_id text not null references accounts (id),
    filename text,
    bytes bigint,
    pages integer,
    media_type text,
    width integer,
    height integer,
    sha256 text,
    source text,
    template_id text,
    report text,
    metadata text,
    created_at bigint not null,
    expires_at bigint not null,
    deleted_at bigint,
    remove_at bigint not null,
    has_content integer not null
  )`,
  'create index documents_list on documents (key_id, created_at, id) where has_content = 1',
  'create index documents_by_template on documents (key_id, template_id, created_at, id) where has_content = 1',
  'create index documents_of_account on documents (account_id, remove_at, bytes) where has_content = 1',
  'create index documents_to_remove on documents (remove_at) where has_content = 1',
  `create table metadata_index (
    object_id text not null,
    owner_key_id text not null references api_keys (id),
    object_kind text not null,
    member text not null,
    member_value text not null,
    object_created_at bigint not null,
    constraint metadata_index_key primary key (object_id, member)
  )`,
  `create index metadata_index_list on metadata_index
    (owner_key_id, object_kind, member, member_value, object_created_at, object_id)`,
  `create table idempotency_keys (
    key_id text not null references api_keys (id),
    name text not null,
    fingerprint text not null,
    claim text not null,
    lease_until bigint not null,
    expires_at bigint not null,
    answer text,
    resource_id text,
    blob text,
    blob_until bigint,
    constraint idempotency_keys_key primary key (key_id, name)
  )`,
  'create index idempotency_keys_expiry on idempotency_keys (expires_at)',
  'create index idempotency_keys_resource on idempotency_keys (resource_id)',
  'create index idempotency_keys_blob on idempotency_keys (blob)',
  'create index idempotency_keys_blob_until on idempotency_keys (blob_until)',
];

const USAGE = [
  `create table usage_months (
    account_id text not null references accounts (id),
    month text not null,
    used integer not null,
    minute_began_at bigint not null default 0,
    minute_renders integer not null default 0,
    constraint usage_months_key primary key (account_id, month)
  )`,
  `create table usage_days (
    account_id text not null references accounts (id),
    day text not null,
    documents integer not null,
    constraint usage_days_key primary key (account_id, day)
  )`,
  `create table visitor_requests (
    visitor text primary key,
    since bigint not null,
    requests integer not null
  )`,
  'create index visitor_requests_since on visitor_requests (since)',
];

/**
 * Every render inserts and deletes a reservation, and every changed page is written to the log of the database. On SQLite, the primary
 * key therefore contains the rows, and there is no other index: a single node counts in memory, and expired leases are found by reading
 * all rows, of which there are only as many as active renders.
 */
const RESERVATIONS = `create table reservations (
  id text primary key,
  account_id text not null references accounts (id),
  day text not null,
  lease_until bigint not null,
  in_background integer not null default 0
)`;
const RESERVATIONS_ON_POSTGRES = [RESERVATIONS, 'create index reservations_account on reservations (account_id)'];
const RESERVATIONS_ON_SQLITE = [`${RESERVATIONS} without rowid`];

const BATCHES = [
  `create table batches (
    id text primary key,
    key_id text not null references api_keys (id),
    account_id text not null references accounts (id),
    webhook_url text,
    metadata text,
    total integer not null,
    kind text,
    unfinished integer not null,
    succeeded integer not null,
    failed integer not null,
    cancelled integer not null,
    traceparent text,
    created_at bigint not null,
    started_at bigint,
    cancelled_at bigint,
    completed_at bigint,
    kept_until bigint not null
  )`,
  `create index batches_list on batches (key_id, created_at, id) where substr(id, 1, 4) <> 'ren_'`,
  'create index batches_open on batches (key_id, created_at, id) where completed_at is null',
  'create index batches_open_of_account on batches (account_id, unfinished, id) where completed_at is null',
  'create index batches_to_remove on batches (kept_until) where completed_at is not null',
  `create table batch_items (
    batch_id text not null references batches (id),
    position integer not null,
    leader integer not null,
    reference text,
    status text not null,
    due_at bigint,
    attempts integer not null,
    claim text,
    lease_until bigint,
    document_id text,
    pages integer,
    bytes bigint,
    expires_at bigint,
    error text,
    finished_no integer,
    constraint batch_items_key primary key (batch_id, position)
  )`,
  'create index batch_items_due on batch_items (batch_id, position) where due_at is not null',
  'create index batch_items_claim on batch_items (claim) where claim is not null',
  'create index batch_items_lease on batch_items (lease_until) where lease_until is not null',
  'create unique index batch_items_finished on batch_items (batch_id, finished_no) where finished_no is not null',
  `create table batch_requests (
    batch_id text not null references batches (id),
    position integer not null,
    ciphertext bytea not null,
    constraint batch_requests_key primary key (batch_id, position)
  )`,
];

/** Accounts take turns, so each kind of delivery has an index for its due rows and one for those of an account. */
const WEBHOOKS = [
  `create table webhook_secrets (
    id text primary key,
    account_id text not null references accounts (id),
    secret text not null,
    created_at bigint not null,
    valid_until bigint
  )`,
  'create index webhook_secrets_account on webhook_secrets (account_id)',
  'create unique index webhook_secrets_present on webhook_secrets (account_id) where valid_until is null',
  'create index webhook_secrets_end on webhook_secrets (valid_until)',
  `create table webhook_deliveries (
    id text primary key,
    account_id text not null references accounts (id),
    key_id text not null references api_keys (id),
    type text not null,
    url text not null,
    host text not null,
    payload text,
    traceparent text,
    status text not null,
    attempts integer not null,
    created_at bigint not null,
    last_attempt_at bigint,
    next_attempt_at bigint,
    next_upload_at bigint,
    lease_until bigint not null,
    response_status integer,
    error text,
    batch_id text,
    batch_position integer
  )`,
  'create index webhook_deliveries_list on webhook_deliveries (key_id, created_at, id)',
  'create index webhook_deliveries_age on webhook_deliveries (created_at)',
  `create index webhook_deliveries_due on webhook_deliveries (next_attempt_at, lease_until, host, account_id)
    where next_attempt_at is not null`,
  `create index webhook_deliveries_uploads on webhook_deliveries (next_upload_at, lease_until, host, account_id)
    where next_upload_at is not null`,
  `create index webhook_deliveries_webhooks_of_account on webhook_deliveries (account_id, next_attempt_at, lease_until, host)
    where next_attempt_at is not null`,
  `create index webhook_deliveries_uploads_of_account on webhook_deliveries (account_id, next_upload_at, lease_until, host)
    where next_upload_at is not null`,
  'create index webhook_deliveries_batch on webhook_deliveries (batch_id, status) where batch_id is not null',
];

export const baseline: Migration = {
  async up(db: Kysely<unknown>) {
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
    const reservations = isPostgres ? RESERVATIONS_ON_POSTGRES : RESERVATIONS_ON_SQLITE;
    for (const statement of [ACCOUNTS, TEMPLATES, DOCUMENTS, USAGE, reservations, BATCHES, WEBHOOKS].flat())
      await sql.raw(statement).execute(db);
  },
};
