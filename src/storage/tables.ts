/** The tables and their columns. Times are in milliseconds since 1970 in UTC; Boolean values are 0 and 1. */
import type { Expression, ExpressionBuilder, Generated, Insertable, Kysely, Selection } from 'kysely';

/** Runs statements, inside or outside a transaction. */
export type Query = Kysely<Tables>;

/** The columns of a row that a query selects, a new row, and a change of some of its columns. */
export type Selected<T extends keyof Tables, Columns> = Selection<Tables, T, Columns>;
export type NewRow<T extends keyof Tables> = Insertable<Tables[T]>;
/** Builds a condition on rows of a table. */
export type Condition<T extends keyof Tables> = ExpressionBuilder<Tables, T>;
/** A value, or a column that has it. */
export type Operand<T> = T | Expression<T>;

export interface Tables {
  accounts: {
    id: string;
    name: string;
    plan: string;
    /** Whether renders are stored unless the request says otherwise. */
    auto_store: number;
    /** Address that receives `document.expired` events, or null for none. */
    document_expired_webhook_url: string | null;
    /** JSON: options of renders that requests leave out; null for none. */
    default_options: Generated<string | null>;
    /** The size of its files in bytes. */
    asset_bytes: Generated<number>;
    /** Whether a picture of the page is kept when a render fails. */
    failure_pictures: Generated<number>;
    created_at: number;
    /** Since when the operator has suspended the account; null if it is not suspended. */
    suspended_at: Generated<number | null>;
    deleted_at: Generated<number | null>;
    /** When a sweep last removed what a deleted account left. */
    erased_at: Generated<number | null>;
  };
  api_keys: {
    id: string;
    account_id: string;
    name: string;
    /** SHA-256 of the secret, in hexadecimal; the secret itself is not stored. */
    secret_hash: string;
    /** The first characters of the secret, to tell keys apart in lists. */
    hint: string;
    /** JSON: the permitted operations; null for all. */
    scopes: string | null;
    /** The key that created this one; null if the operator created it. */
    made_by: string | null;
    created_at: number;
    revoked_at: number | null;
    /** The hash of the secret before the last rotation, and the time until which that secret works. */
    previous_secret_hash: string | null;
    previous_valid_until: number | null;
    /** Whether its renders have a watermark and are not charged. */
    is_test: Generated<number>;
    /** Written at most once a minute. */
    last_used_at: Generated<number | null>;
    expires_at: Generated<number | null>;
    /** Whether it is the operator's own key, which learns about the settings of the service. */
    is_operator: Generated<number>;
    /** Whether it may use `/v1/admin`. Only the command line sets it. */
    is_administrator: Generated<number>;
  };
  /** Sessions of the dashboard. Each has the rights of its key. */
  sessions: {
    /** SHA-256 of the id, in hexadecimal; the id itself is not stored. */
    id_hash: string;
    key_id: string;
    /** The hash of the secret that began the session, which ends when that secret stops working. */
    begun_with: string;
    ends_at: number;
  };
  templates: {
    id: string;
    key_id: string;
    name: string;
    engine: string;
    html: string;
    /** The size of the HTML and the schema in UTF-8. */
    bytes: number;
    /** JSON: the JSON Schema of the data; null for none. */
    schema: Generated<string | null>;
    version: number;
    /** JSON: the paths the template uses. */
    placeholders: string;
    /** JSON: the metadata that the owner attached; null for none. */
    metadata: string | null;
    /** The version that `@published` stands for, which is kept; null for none. */
    published_version: Generated<number | null>;
    /** The account whose keys may all read and render the template; null if only its own key may. */
    shared_account_id: string | null;
    created_at: number;
    updated_at: number;
  };
  /** Asset files of template versions. */
  template_assets: {
    template_id: string;
    version: number;
    path: string;
    key_id: string;
    /** The media type. */
    type: string;
    /** The name of the content, which versions can share. */
    blob: string;
    bytes: number;
  };
  /** Named data to try templates with. */
  template_samples: {
    template_id: string;
    name: string;
    key_id: string;
    /** JSON: an object. */
    data: string;
    /** The size of the data in UTF-8. */
    bytes: number;
  };
  /** Files that all documents of an account can use. */
  account_assets: {
    account_id: string;
    path: string;
    /** The media type. */
    type: string;
    /** The name of the content. */
    blob: string;
    bytes: number;
  };
  /** Earlier versions of templates, limited to the most recent ones. */
  template_versions: {
    template_id: string;
    version: number;
    key_id: string;
    name: string;
    engine: string;
    html: string;
    bytes: number;
    schema: Generated<string | null>;
    placeholders: string;
    /** When this version was created. */
    updated_at: number;
  };
  documents: {
    id: string;
    key_id: string;
    account_id: string;
    /** This and the following columns that describe the content are null once the content is removed. */
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
    /** JSON: the report of the render. */
    report: string | null;
    /** JSON: the metadata that the owner attached; null for none. */
    metadata: string | null;
    created_at: number;
    expires_at: number;
    deleted_at: number | null;
    /** When the content is to be removed: at expiry, or immediately when its owner deletes the document. */
    remove_at: number;
    /** 1 until the content is removed. */
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
  /** The number of documents charged per month, including renders in progress that hold a reservation. */
  usage_months: {
    account_id: string;
    /** `2026-11` */
    month: string;
    used: number;
    /** The start of the last minute counted, and its renders; used if several nodes share the database. */
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
  /** What was rendered and charged, by month: for each key and each template. */
  usage_sums: {
    account_id: string;
    kind: 'key' | 'template';
    /** `2026-11` */
    month: string;
    /** Empty for documents without a template, and for those that were charged before keys were counted. */
    object_id: string;
    documents: number;
    pages: number;
    bytes: number;
  };
  /** Renders in progress that have reserved documents of the allowance. Each takes one slot of its account. */
  reservations: {
    id: string;
    account_id: string;
    /** Several for an assembly. */
    documents: Generated<number>;
    /** The day that the documents are charged to. */
    day: string;
    /** Renewed for as long as the rendering process lives. */
    lease_until: number;
    /** 1 for a batch item or an asynchronous render. */
    in_background: Generated<number>;
  };
  visitor_requests: {
    /** The IP address of a playground visitor for the requests, and `time ADDRESS` for the rendering time. */
    visitor: string;
    /** When the minute of the visitor began; for the rendering time, a minute before all of it is forgotten. */
    since: number;
    requests: number;
  };
  /** The renders and batch items of the last days, as their owners may read them. */
  logged_requests: {
    /** Of a call, the id of the request. */
    id: string;
    key_id: string;
    /** When it ended. */
    created_at: number;
    /** The error code; null if it succeeded. */
    code: string | null;
    template_id: string | null;
    batch_id: string | null;
    /** The reference of a batch item. */
    reference: string | null;
    /** JSON: what no list is filtered by. */
    details: string;
  };
  /** Pictures of pages whose render has failed. The details of logged requests name them. */
  failure_pictures: {
    /** The name of the content. */
    blob: string;
    key_id: string;
    account_id: string;
    created_at: number;
    /** From then on, it is not shown any more, and the next sweep removes it. */
    remove_at: number;
  };
  /** What was changed about accounts and keys, and by whom. */
  audit_entries: {
    id: string;
    created_at: number;
    /** The id of the key that made the change, or `command line`. */
    actor: string;
    action: string;
    account_id: string;
    /** The id of the account, key or webhook that was changed. */
    object_id: string;
    /** JSON: the values of `name` before and after; null if it did not change, and once the account is erased. */
    names: string | null;
    /** JSON: the other fields with their values before and after. */
    changes: string;
  };
  idempotency_keys: {
    key_id: string;
    /** The value of the Idempotency-Key header. */
    name: string;
    /** SHA-256 of the method, URL and body. */
    fingerprint: string;
    /** The claim of the request that is running, and the end of its lease. */
    claim: string;
    lease_until: number;
    expires_at: number;
    /** JSON: the data to repeat the reply; null while the first request is running. */
    answer: string | null;
    /** The id of the resource that the request created. Deleting a template deletes the row of its creation as well. */
    resource_id: string | null;
    /** The blob with the PDF of the reply, if the PDF was not stored as a document. */
    blob: string | null;
    /** When the blob is to be removed. */
    blob_until: number | null;
  };
  /** Certificates that sign PDFs. */
  certificates: {
    id: string;
    key_id: string;
    account_id: string;
    name: string;
    /** JSON: the properties of the certificate. */
    facts: string;
    /** The id of the operator's secret key that decrypts the ciphertext. */
    secret_key_id: string;
    /** The private key and the certificate chain, encrypted. */
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
    webhook_url: string | null;
    /** JSON: the metadata that the owner attached; null for none. */
    metadata: string | null;
    /** The number of items; `unfinished`, `succeeded`, `failed` and `cancelled` add up to it. */
    total: number;
    /** The output of the items: `image`, or null for PDFs. */
    kind: string | null;
    /** The number of items without an outcome. */
    unfinished: number;
    succeeded: number;
    failed: number;
    cancelled: number;
    /** The trace context of the request that created the batch; null if none was recorded. */
    traceparent: string | null;
    created_at: number;
    /** When the first item was claimed. */
    started_at: number | null;
    /** When the owner cancelled the batch. */
    cancelled_at: number | null;
    /** When the last item finished. */
    completed_at: number | null;
    /** When the rows may be removed, which is not before the last document expires. */
    kept_until: number;
  };
  batch_items: {
    batch_id: string;
    position: number;
    /**
     * The position of the canonical item: the first identical item of the batch, which is rendered for all of them. It can be
     * this item itself.
     */
    leader: number;
    reference: string | null;
    /** queued, running, succeeded, failed, cancelled */
    status: string;
    /** When the item can be claimed; set only for canonical items that are queued. */
    due_at: number | null;
    /** How often the item was claimed. */
    attempts: number;
    /** The claim of the process that renders the item, and the end of its lease; set only while the item is running. */
    claim: string | null;
    lease_until: number | null;
    document_id: string | null;
    pages: number | null;
    bytes: number | null;
    expires_at: number | null;
    /** JSON: code, detail, errors. */
    error: string | null;
    /** The place of the item in the order in which the items of the batch finished, from 1; null before that. */
    finished_no: number | null;
  };
  /**
   * The encrypted requests that are still to be rendered: one for each canonical item, and the defaults of each batch at position
   * -1.
   */
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
    /** Null for the current secret; otherwise the time until which the replaced secret still signs. */
    valid_until: number | null;
  };
  /** Webhook events and uploads with the state of their delivery. */
  webhook_deliveries: {
    id: string;
    account_id: string;
    key_id: string;
    type: string;
    /** The full URL for webhooks; only the origin for uploads, because the rest is secret. */
    url: string;
    /** The host of the URL, with the port. */
    host: string;
    /**
     * The body of a webhook, which is the same for each attempt, or the encrypted target of an upload until it ends.
     */
    payload: string | null;
    /** The trace context of the reported change; null if none was recorded. */
    traceparent: string | null;
    status: 'pending' | 'delivered' | 'failed';
    /** The number of attempts started. */
    attempts: number;
    created_at: number;
    last_attempt_at: number | null;
    /** The next attempt of a webhook; null if there is none. */
    next_attempt_at: number | null;
    /** The next attempt of an upload; null if there is none. */
    next_upload_at: number | null;
    /** While an attempt is in progress: the latest time at which it ends. */
    lease_until: number;
    /** The response status and the error of the last attempt. */
    response_status: number | null;
    error: string | null;
    /** JSON: the last attempts of a webhook; null before the first. */
    history: string | null;
    /** Only for uploads: the item whose result is uploaded. */
    batch_id: string | null;
    batch_position: number | null;
  };
}
