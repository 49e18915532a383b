/** The tables and their columns. Times are milliseconds since 1970 in UTC; truth values are 0 and 1. */
import type { Generated, Kysely } from 'kysely';

/** Statements, outside a transaction or inside one. */
export type Query = Kysely<Tables>;

export interface Tables {
  accounts: {
    id: string;
    name: string;
    plan: string;
    /** Whether renders are stored although the caller did not ask. */
    auto_store: number;
    /** Address that receives `document.expired` events, or null for none. */
    document_expired_webhook_url: string | null;
    created_at: number;
  };
  api_keys: {
    id: string;
    account_id: string;
    name: string;
    /** SHA-256 of the secret, in hexadecimal; the secret itself is kept nowhere. */
    secret_hash: string;
    /** The first characters of the secret, to tell keys apart in lists. */
    hint: string;
    /** JSON: what it may do; null for everything. */
    scopes: string | null;
    /** The key it was made with; null for the operator's. */
    made_by: string | null;
    created_at: number;
    revoked_at: number | null;
    /** The secret before the last rotation, and until when it works. */
    previous_secret_hash: string | null;
    previous_valid_until: number | null;
    is_test: Generated<number>;
  };
  templates: {
    id: string;
    key_id: string;
    name: string;
    engine: string;
    html: string;
    /** Of the HTML in UTF-8. */
    bytes: number;
    version: number;
    /** JSON: the paths the template uses. */
    placeholders: string;
    /** JSON: what its owner attached to it; null for nothing. */
    metadata: string | null;
    created_at: number;
    updated_at: number;
  };
  /** Files beside the versions of templates. */
  template_assets: {
    template_id: string;
    version: number;
    path: string;
    key_id: string;
    /** The media type. */
    type: string;
    /** Name of the content, which versions share. */
    blob: string;
    bytes: number;
  };
  /** What templates were before they were replaced; a part of them, the youngest. */
  template_versions: {
    template_id: string;
    version: number;
    key_id: string;
    name: string;
    engine: string;
    html: string;
    bytes: number;
    placeholders: string;
    /** When this version came to be. */
    updated_at: number;
  };
  documents: {
    id: string;
    key_id: string;
    account_id: string;
    /** This and what follows is null once the content is gone. */
    filename: string | null;
    bytes: number | null;
    pages: number | null;
    /** Null for a PDF. */
    media_type: string | null;
    /** Pixels of an image. */
    width: number | null;
    height: number | null;
    sha256: string | null;
    source: string | null;
    template_id: string | null;
    /** JSON: what the render had to tell. */
    report: string | null;
    /** JSON: what its owner attached to it; null for nothing. */
    metadata: string | null;
    created_at: number;
    expires_at: number;
    deleted_at: number | null;
    /** When the content is to go: at expiry, or at once when its owner deletes it. */
    remove_at: number;
    /** 1 until the content has gone. */
    has_content: number;
  };
  /** One row for each member of the metadata of an object. */
  metadata_index: {
    object_id: string;
    owner_key_id: string;
    object_kind: 'document' | 'template' | 'batch';
    member: string;
    member_value: string;
    object_created_at: number;
  };
  /** How many documents of a month are spoken for: rendered, or being rendered under a reservation. */
  usage_months: {
    account_id: string;
    /** `2026-11` */
    month: string;
    used: number;
    /** Renders of the last minute that was counted, where several nodes use the database. */
    minute_began_at: Generated<number>;
    minute_renders: Generated<number>;
  };
  /** Documents rendered, by day. */
  usage_days: {
    account_id: string;
    /** `2026-11-21` */
    day: string;
    documents: number;
  };
  /** Places in the allowance taken by renders under way. */
  reservations: {
    id: string;
    account_id: string;
    /** The day it counts for. */
    day: string;
    /** Renewed while the process that renders lives. */
    lease_until: number;
    /** 1 for a render of a batch, or one that nobody waits for. */
    in_background: Generated<number>;
  };
  idempotency_keys: {
    key_id: string;
    /** What the caller sent as Idempotency-Key. */
    name: string;
    /** SHA-256 of method, address and body. */
    fingerprint: string;
    /** The request that runs, and until when it is believed to. */
    claim: string;
    lease_until: number;
    expires_at: number;
    /** JSON: how to give the reply again; null while the first request runs. */
    answer: string | null;
    /** What the answer made. The record of a template's making goes with the template. */
    resource_id: string | null;
    /** The blob that holds the PDF of the reply, when it was not stored as a document. */
    blob: string | null;
    /** When the blob is to go. */
    blob_until: number | null;
  };
  /** Certificates that sign PDFs. */
  certificates: {
    id: string;
    key_id: string;
    account_id: string;
    name: string;
    /** JSON: what the certificate says of itself. */
    facts: string;
    /** The secret key of the operator that the ciphertext needs. */
    secret_key_id: string;
    /** The private key and the certificates. */
    ciphertext: Uint8Array;
    created_at: number;
  };
  /** Secrets that sign links. */
  signing_keys: {
    id: string;
    secret: string;
    created_at: number;
  };
  batches: {
    id: string;
    key_id: string;
    account_id: string;
    /** Number of items; the four that follow add up to it. */
    webhook_url: string | null;
    /** JSON: what its owner attached to it; null for nothing. */
    metadata: string | null;
    total: number;
    /** What its items are rendered to: `image`, or null for PDFs. */
    kind: string | null;
    /** Items without an outcome. */
    unfinished: number;
    succeeded: number;
    failed: number;
    cancelled: number;
    /** The trace of the request that made it; null where none was recorded. */
    traceparent: string | null;
    created_at: number;
    /** When the first item was taken up. */
    started_at: number | null;
    /** When its owner asked for no more of it. */
    cancelled_at: number | null;
    /** When the last item got its outcome. */
    completed_at: number | null;
    /** When the rows may go: with the last document. */
    kept_until: number;
  };
  batch_items: {
    batch_id: string;
    position: number;
    /** The first item of the batch that is the same, which is rendered for all of them; its own position where it is that. */
    leader: number;
    reference: string | null;
    /** queued, running, succeeded, failed, cancelled */
    status: string;
    /** When it may be taken up; set on canonical items that are queued, and on nothing else. */
    due_at: number | null;
    /** How often it was taken up. */
    attempts: number;
    /** Who renders it, and until when it is believed to; set while it is running. */
    claim: string | null;
    lease_until: number | null;
    document_id: string | null;
    pages: number | null;
    bytes: number | null;
    expires_at: number | null;
    /** JSON: code, detail, errors. */
    error: string | null;
    /** The order in which items of its batch got their outcomes, from 1; null while it has none. */
    finished_no: number | null;
  };
  /** What is still to be rendered, encrypted: of canonical items, and of each batch its defaults, at position -1. */
  batch_requests: {
    batch_id: string;
    position: number;
    ciphertext: Uint8Array;
  };
  /** Secrets that sign webhooks. */
  webhook_secrets: {
    id: string;
    account_id: string;
    /** `whsec_` and the key in base64. */
    secret: string;
    created_at: number;
    /** Until when it also signs after it was replaced, or null for the current secret. */
    valid_until: number | null;
  };
  /** Events and results on their way to a receiver, and what became of them. */
  webhook_deliveries: {
    id: string;
    account_id: string;
    key_id: string;
    type: string;
    /** Of an upload the origin alone: the rest is secret. */
    url: string;
    /** Of the url, with its port. */
    host: string;
    /** The bytes that are sent, the same each time, or where a result is uploaded to; null once it is delivered or has failed. */
    payload: string | null;
    /** The trace of what it tells about; null where none was recorded. */
    traceparent: string | null;
    status: 'pending' | 'delivered' | 'failed';
    /** Those that were begun. */
    attempts: number;
    created_at: number;
    last_attempt_at: number | null;
    /** Of a webhook; null once there is no next one. */
    next_attempt_at: number | null;
    /** The same of an upload. */
    next_upload_at: number | null;
    /** While an attempt is under way: when it is over at the latest. */
    lease_until: number;
    /** Of the last attempt: what was answered, and what went wrong. */
    response_status: number | null;
    error: string | null;
    /** Of an upload: the item whose result it is. */
    batch_id: string | null;
    batch_position: number | null;
  };
}
