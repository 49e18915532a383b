/** The resources of an account: templates, documents, batches, renders, keys, certificates, webhooks and requests; and administration. */
import type * as api from './api.ts';
import { linesOf } from './lines.ts';
import { List, type ListParameters, type MetadataFilter } from './lists.ts';
import { Rendered } from './rendered.ts';
import { type CallOptions, sleep, type Transport } from './transport.ts';

/** The pause between two requests that wait for a result, in milliseconds. A service that shuts down answers them at once. */
const PAUSE = 1_000;

abstract class Resource {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }
}

export class Templates extends Resource {
  create(request: api.NewTemplate, options?: CallOptions): Promise<api.Template> {
    return this.transport.json('/v1/templates', { ...options, method: 'POST', body: request });
  }

  /** Renders a text that is not saved, without a charge. */
  async preview(request: api.TemplatePreview, options?: CallOptions): Promise<Rendered> {
    const headers = { accept: 'application/pdf' };
    return new Rendered(
      await this.transport.send('/v1/templates/preview', { ...options, method: 'POST', body: request, headers }),
    );
  }

  list(query?: MetadataFilter): List<api.Template> {
    return new List(this.transport, '/v1/templates', query);
  }

  get(id: string, options?: CallOptions): Promise<api.TemplateWithHtml> {
    return this.transport.json(`/v1/templates/${id}`, options);
  }

  replace(id: string, request: api.TemplateChange, options?: CallOptions): Promise<api.Template> {
    return this.transport.json(`/v1/templates/${id}`, { ...options, method: 'PUT', body: request });
  }

  /** Renames a template, or changes its metadata. */
  update(id: string, change: api.TemplatePatch, options?: CallOptions): Promise<api.Template> {
    return this.transport.json(`/v1/templates/${id}`, { ...options, method: 'PATCH', body: change });
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.transport.send(`/v1/templates/${id}`, { ...options, method: 'DELETE' });
  }

  versions(id: string, query?: ListParameters): List<api.TemplateVersion> {
    return new List(this.transport, `/v1/templates/${id}/versions`, query);
  }

  version(id: string, version: number, options?: CallOptions): Promise<api.TemplateWithHtml> {
    return this.transport.json(`/v1/templates/${id}/versions/${version}`, options);
  }

  /** Lists the files that are stored with a template. */
  async assets(id: string, options?: CallOptions): Promise<api.TemplateAsset[]> {
    const { data } = await this.transport.json<api.TemplateAssetList>(`/v1/templates/${id}/assets`, options);
    return data;
  }

  /** Downloads a file of a template. `path` is its path, such as `css/print.css`. */
  async asset(id: string, path: string, options?: CallOptions): Promise<Rendered> {
    return new Rendered(await this.transport.send(assetPath(id, path), options));
  }

  /** Adds or replaces a file, which creates a new version of the template. `type` is its media type. */
  putAsset(
    id: string,
    path: string,
    content: Uint8Array,
    { type = 'application/octet-stream', ...options }: CallOptions & { type?: string } = {},
  ): Promise<api.Template> {
    const headers = { 'content-type': type };
    return this.transport.json(assetPath(id, path), { ...options, method: 'PUT', body: content, headers });
  }

  /** Removes a file, which creates a new version of the template. */
  deleteAsset(id: string, path: string, options?: CallOptions): Promise<api.Template> {
    return this.transport.json(assetPath(id, path), { ...options, method: 'DELETE' });
  }
}

function assetPath(id: string, path: string): string {
  return `/v1/templates/${id}/assets/${path.split('/').map(encodeURIComponent).join('/')}`;
}

export interface DocumentFilters extends MetadataFilter {
  template_id?: string;
  /** A time as in RFC 3339. */
  created_after?: string;
  created_before?: string;
  /** A part of the filename, or an id. */
  q?: string;
}

export class Documents extends Resource {
  list(query?: DocumentFilters): List<api.Document> {
    return new List(this.transport, '/v1/documents', query);
  }

  get(id: string, options?: CallOptions): Promise<api.Document> {
    return this.transport.json(`/v1/documents/${id}`, options);
  }

  /** Downloads the PDF or image. */
  async content(id: string, options?: CallOptions): Promise<Rendered> {
    const headers = { accept: 'application/pdf, image/*' };
    return new Rendered(await this.transport.send(`/v1/documents/${id}`, { ...options, headers }));
  }

  /** Downloads a picture of a page as PNG. Pages are counted from 1. `width` is in pixels. Default: 1,000. */
  async page(id: string, page: number, { width, ...options }: CallOptions & { width?: number } = {}): Promise<Rendered> {
    return new Rendered(await this.transport.send(`/v1/documents/${id}/pages/${page}.png`, { ...options, query: { width } }));
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.transport.send(`/v1/documents/${id}`, { ...options, method: 'DELETE' });
  }

  /** Creates a link that works without a key until it expires. Default: one hour. */
  link(id: string, request: api.LinkRequest = {}, options?: CallOptions): Promise<api.Link> {
    return this.transport.json(`/v1/documents/${id}/links`, { ...options, method: 'POST', body: request });
  }
}

/** How to wait for a batch or a render. */
export interface WaitOptions extends CallOptions {
  /** Waits until the batch or render has ended, but at most this number of seconds. The maximum is 60. */
  wait?: number;
}

export class Batches extends Resource {
  create(request: api.BatchRequest, { wait, ...options }: WaitOptions = {}): Promise<api.Batch> {
    return this.transport.json('/v1/batches', { ...options, method: 'POST', body: request, headers: prefer(wait) });
  }

  list(query?: MetadataFilter): List<api.BatchSummary> {
    return new List(this.transport, '/v1/batches', query);
  }

  get(id: string, { wait, ...options }: WaitOptions = {}): Promise<api.Batch> {
    return this.transport.json(`/v1/batches/${id}`, { ...options, headers: prefer(wait) });
  }

  /** Waits until the batch has ended, and returns it. */
  finished(id: string, options?: CallOptions): Promise<api.Batch> {
    return ended(() => this.get(id, { ...options, wait: 60 }), options?.signal);
  }

  cancel(id: string, options?: CallOptions): Promise<api.Batch> {
    return this.transport.json(`/v1/batches/${id}`, { ...options, method: 'DELETE' });
  }

  /** Creates a batch of the items that have failed. */
  retry(id: string, { wait, ...options }: WaitOptions = {}): Promise<api.Batch> {
    return this.transport.json(`/v1/batches/${id}/retry`, { ...options, method: 'POST', headers: prefer(wait) });
  }

  async zip(id: string, options?: CallOptions): Promise<Rendered> {
    return new Rendered(await this.transport.send(`/v1/batches/${id}.zip`, options));
  }

  /** Downloads all documents of the batch as one PDF. */
  async pdf(id: string, options?: CallOptions): Promise<Rendered> {
    return new Rendered(await this.transport.send(`/v1/batches/${id}.pdf`, options));
  }

  /** Yields the events of the batch until it has ended. Reconnects if the connection is lost. */
  async *events(
    id: string,
    { lastEventId = 0, ...options }: CallOptions & { lastEventId?: number } = {},
  ): AsyncGenerator<api.BatchEvent> {
    for (let last = lastEventId; ; ) {
      const headers = { accept: 'application/x-ndjson', 'last-event-id': String(last) };
      const response = await this.transport.send(`/v1/batches/${id}/events`, { ...options, headers });
      if (response.status === 204) return;
      for await (const line of linesOf(response, options.signal)) {
        const event = JSON.parse(line) as api.BatchEvent;
        if (event.event === 'heartbeat') continue;
        yield event;
        if (event.event === 'batch') return;
        last = event.id ?? last;
      }
      await sleep(PAUSE, options.signal);
    }
  }
}

/** Asynchronous renders: the service accepts the document, answers, and then renders it. */
export class Renders extends Resource {
  /** Starts to render a PDF. The result is stored, or uploaded to `deliver_to`; then `webhook_url` is notified. */
  start(request: api.PdfRequest, options?: CallOptions): Promise<api.Render> {
    return this.#start('/v1/pdf', request, options);
  }

  /** Starts to render an image, as `start` does for a PDF. */
  startImage(request: api.ImageRequest, options?: CallOptions): Promise<api.Render> {
    return this.#start('/v1/image', request, options);
  }

  get(id: string, { wait, ...options }: WaitOptions = {}): Promise<api.Render> {
    return this.transport.json(`/v1/renders/${id}`, { ...options, headers: prefer(wait) });
  }

  /** Waits until the render, and the upload of its result if there is one, have ended. Returns the render. */
  finished(id: string, options?: CallOptions): Promise<api.Render> {
    return ended(() => this.get(id, { ...options, wait: 60 }), options?.signal);
  }

  #start(path: string, request: object, options?: CallOptions): Promise<api.Render> {
    const headers = { prefer: 'respond-async' };
    return this.transport.json(path, { ...options, method: 'POST', body: request, headers });
  }
}

/** API keys of the account, as far as the key of this client may see them. */
export class Keys extends Resource {
  /** Creates a key. Only this answer contains its secret, in `key`. */
  create(request: api.KeyRequest = {}, options?: CallOptions): Promise<api.ApiKey> {
    return this.transport.json('/v1/keys', { ...options, method: 'POST', body: request });
  }

  list(query?: ListParameters): List<api.ApiKey> {
    return new List(this.transport, '/v1/keys', query);
  }

  get(id: string, options?: CallOptions): Promise<api.ApiKey> {
    return this.transport.json(`/v1/keys/${id}`, options);
  }

  /** Replaces the secret of a key. */
  rotate(id: string, request: api.RotationRequest = {}, options?: CallOptions): Promise<api.ApiKey> {
    return this.transport.json(`/v1/keys/${id}/rotate`, { ...options, method: 'POST', body: request });
  }

  async revoke(id: string, options?: CallOptions): Promise<void> {
    await this.transport.send(`/v1/keys/${id}`, { ...options, method: 'DELETE' });
  }
}

/** Certificates that sign PDFs. */
export class Certificates extends Resource {
  /** Stores the certificate and private key of a PKCS#12 file in base64. */
  create(request: api.NewCertificate, options?: CallOptions): Promise<api.Certificate> {
    return this.transport.json('/v1/certificates', { ...options, method: 'POST', body: request });
  }

  list(query?: ListParameters): List<api.Certificate> {
    return new List(this.transport, '/v1/certificates', query);
  }

  get(id: string, options?: CallOptions): Promise<api.Certificate> {
    return this.transport.json(`/v1/certificates/${id}`, options);
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await this.transport.send(`/v1/certificates/${id}`, { ...options, method: 'DELETE' });
  }
}

export class Webhooks extends Resource {
  /** Returns the secret that signs the webhooks of the account. */
  secret(options?: CallOptions): Promise<api.WebhookSecret> {
    return this.transport.json('/v1/webhooks/secret', options);
  }

  /** Replaces the secret. The old one also signs for 24 hours. */
  rotateSecret(options?: CallOptions): Promise<api.WebhookSecret> {
    return this.transport.json('/v1/webhooks/secret/rotate', { ...options, method: 'POST' });
  }

  deliveries(query?: ListParameters): List<api.WebhookDelivery> {
    return new List(this.transport, '/v1/webhooks/deliveries', query);
  }

  /** Returns a delivery with its body and its last attempts. */
  delivery(id: string, options?: CallOptions): Promise<api.WebhookDelivery> {
    return this.transport.json(`/v1/webhooks/deliveries/${id}`, options);
  }

  /** Sends an event without data, to see whether it arrives. */
  test(url: string, options?: CallOptions): Promise<api.WebhookDelivery> {
    return this.transport.json('/v1/webhooks/test', { ...options, method: 'POST', body: { url } });
  }

  /** Sends an event again that was delivered or given up. */
  retry(id: string, options?: CallOptions): Promise<api.WebhookDelivery> {
    return this.transport.json(`/v1/webhooks/deliveries/${id}/retry`, { ...options, method: 'POST' });
  }
}

export interface RequestFilters extends ListParameters {
  status?: 'succeeded' | 'failed';
  /** An error code, such as `render_timeout`. */
  code?: string;
  template_id?: string;
  batch_id?: string;
  reference?: string;
  /** A time as in RFC 3339. */
  created_after?: string;
  created_before?: string;
}

/** What came of the renders and batch items of the last days. */
export class Requests extends Resource {
  list(query?: RequestFilters): List<api.LoggedRequest> {
    return new List(this.transport, '/v1/requests', query);
  }

  /** `id` is the `requestId` of a result or an error. */
  get(id: string, options?: CallOptions): Promise<api.LoggedRequest> {
    return this.transport.json(`/v1/requests/${id}`, options);
  }

  /** Downloads what the page showed when the render failed, as JPEG, for accounts with `failure_pictures`. */
  async picture(id: string, options?: CallOptions): Promise<Rendered> {
    return new Rendered(await this.transport.send(`/v1/requests/${id}/picture`, { ...options }));
  }
}

export interface AccountFilters extends ListParameters {
  state?: api.AccountState;
  /** Words of the name, in any case. */
  name?: string;
}

export interface AuditFilters extends ListParameters {
  account_id?: string;
  object_id?: string;
  actor?: string;
  action?: api.AuditAction;
  /** A time as in RFC 3339. */
  created_after?: string;
  created_before?: string;
}

/** All accounts of the service, for the key of an administrator. */
export class Admin extends Resource {
  async plans(options?: CallOptions): Promise<api.Plan[]> {
    return (await this.transport.json<api.PlanList>('/v1/admin/plans', options)).data;
  }

  accounts(query?: AccountFilters): List<api.AdminAccount> {
    return new List(this.transport, '/v1/admin/accounts', query);
  }

  createAccount(request: api.AdminAccountRequest = {}, options?: CallOptions): Promise<api.AdminAccount> {
    return this.transport.json('/v1/admin/accounts', { ...options, method: 'POST', body: request });
  }

  account(id: string, options?: CallOptions): Promise<api.AdminAccount> {
    return this.transport.json(`/v1/admin/accounts/${id}`, options);
  }

  /** Renames, suspends or resumes an account, or changes its plan. */
  updateAccount(id: string, change: api.AdminAccountChange, options?: CallOptions): Promise<api.AdminAccount> {
    return this.transport.json(`/v1/admin/accounts/${id}`, { ...options, method: 'PATCH', body: change });
  }

  async deleteAccount(id: string, options?: CallOptions): Promise<void> {
    await this.transport.send(`/v1/admin/accounts/${id}`, { ...options, method: 'DELETE' });
  }

  /** `month` is such as `2026-10`. Default: this month. */
  usage(id: string, { month, ...options }: CallOptions & { month?: string } = {}): Promise<api.Usage> {
    return this.transport.json(`/v1/admin/accounts/${id}/usage`, { ...options, query: { month } });
  }

  keys(id: string, query?: ListParameters): List<api.ApiKey> {
    return new List(this.transport, `/v1/admin/accounts/${id}/keys`, query);
  }

  /** Creates a key of an account. Only this answer contains its secret, in `key`. */
  createKey(id: string, request: api.KeyRequest = {}, options?: CallOptions): Promise<api.ApiKey> {
    return this.transport.json(`/v1/admin/accounts/${id}/keys`, { ...options, method: 'POST', body: request });
  }

  async revokeKey(id: string, options?: CallOptions): Promise<void> {
    await this.transport.send(`/v1/admin/keys/${id}`, { ...options, method: 'DELETE' });
  }

  state(options?: CallOptions): Promise<api.ServiceState> {
    return this.transport.json('/v1/admin/state', options);
  }

  /** Lists the renders that failed. */
  errors(query?: ListParameters & { account_id?: string; code?: string }): List<api.AdminFailure> {
    return new List(this.transport, '/v1/admin/errors', query);
  }

  /** Lists the webhooks that were given up. */
  webhooks(query?: ListParameters & { account_id?: string }): List<api.FailedWebhook> {
    return new List(this.transport, '/v1/admin/webhooks', query);
  }

  /** Sends a webhook again that was given up. */
  async retryWebhook(id: string, options?: CallOptions): Promise<void> {
    await this.transport.send(`/v1/admin/webhooks/${id}/retry`, { ...options, method: 'POST' });
  }

  /** Lists what was changed about accounts and keys. */
  audit(query?: AuditFilters): List<api.AuditEntry> {
    return new List(this.transport, '/v1/admin/audit', query);
  }
}

async function ended<T extends { status: string }>(read: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    const record = await read();
    const isUploading = 'delivery' in record && (record.delivery as { status: string } | undefined)?.status === 'pending';
    if (record.status !== 'queued' && record.status !== 'running' && !isUploading) return record;
    await sleep(PAUSE, signal);
  }
}

function prefer(wait: number | undefined): Record<string, string> {
  return wait === undefined ? {} : { prefer: `wait=${wait}` };
}
