/** The client of Platen: one method for each endpoint of the API. */
import type * as api from './api.ts';
import { Rendered } from './rendered.ts';
import { Admin, Batches, Certificates, Documents, Keys, Renders, Requests, Templates, Webhooks } from './resources.ts';
import { type CallOptions, type PlatenOptions, Transport } from './transport.ts';

export type * from './api.ts';
export { PlatenConnectionError, PlatenError, type Problem, WebhookVerificationError } from './errors.ts';
export type { List, ListParameters, MetadataFilter, Page } from './lists.ts';
export type { Rendered } from './rendered.ts';
export type {
  Admin,
  Batches,
  Certificates,
  DocumentFilters,
  Documents,
  Keys,
  Renders,
  RequestFilters,
  Requests,
  Templates,
  WaitOptions,
  Webhooks,
} from './resources.ts';
export type { CallOptions, PlatenOptions } from './transport.ts';
export { verifyWebhook } from './webhooks.ts';

export class Platen {
  readonly templates: Templates;
  readonly documents: Documents;
  readonly batches: Batches;
  readonly renders: Renders;
  readonly keys: Keys;
  readonly certificates: Certificates;
  readonly webhooks: Webhooks;
  readonly requests: Requests;
  readonly admin: Admin;
  readonly #transport: Transport;

  constructor(options: PlatenOptions) {
    this.#transport = new Transport(options);
    this.templates = new Templates(this.#transport);
    this.documents = new Documents(this.#transport);
    this.batches = new Batches(this.#transport);
    this.renders = new Renders(this.#transport);
    this.keys = new Keys(this.#transport);
    this.certificates = new Certificates(this.#transport);
    this.webhooks = new Webhooks(this.#transport);
    this.requests = new Requests(this.#transport);
    this.admin = new Admin(this.#transport);
  }

  /** Renders a document to PDF. */
  async pdf(request: api.PdfRequest, options?: CallOptions): Promise<Rendered> {
    return new Rendered(await this.#post('/v1/pdf', request, 'application/pdf', options));
  }

  /** Renders a document to PDF and stores it. Returns its record. */
  async store(request: api.PdfRequest, options?: CallOptions): Promise<api.Document> {
    const response = await this.#post('/v1/pdf', { ...request, store: true }, 'application/json', options);
    return (await response.json()) as api.Document;
  }

  /** Puts a PDF together from parts, and changes it in steps. With the step `split`, the result is a ZIP archive. */
  async assemble(request: api.AssemblyBody, options?: CallOptions): Promise<Rendered> {
    return new Rendered(await this.#post('/v1/pdf/assemble', request, 'application/pdf, application/zip', options));
  }

  /** Renders a document to an image. */
  async image(request: api.ImageRequest, options?: CallOptions): Promise<Rendered> {
    return new Rendered(await this.#post('/v1/image', request, 'image/*', options));
  }

  /** Renders a document to an image and stores it. Returns its record. */
  async storeImage(request: api.ImageRequest, options?: CallOptions): Promise<api.Document> {
    const response = await this.#post('/v1/image', { ...request, store: true }, 'application/json', options);
    return (await response.json()) as api.Document;
  }

  /** Checks any PDF against `profile`, such as `PDF/UA-1`, or by default against the profiles of PDF/A and PDF/UA that it claims. */
  validate(pdf: Uint8Array, { profile, ...options }: CallOptions & { profile?: string } = {}): Promise<api.Validation> {
    const headers = { 'content-type': 'application/pdf' };
    return this.#transport.json('/v1/pdf/validate', { ...options, method: 'POST', body: pdf, headers, query: { profile } });
  }

  /**
   * Finds where the pages of two PDFs differ. `tolerance` ignores colors that differ by up to so many steps of 255. `pictures` is the number
   * of pages that differ to return PNGs of, in base64.
   */
  compare(
    before: Uint8Array<ArrayBuffer>,
    after: Uint8Array<ArrayBuffer>,
    { tolerance, pictures, ...options }: CallOptions & { tolerance?: number; pictures?: number } = {},
  ): Promise<api.Comparison> {
    const body = new FormData();
    body.append('before', new Blob([before]), 'before.pdf');
    body.append('after', new Blob([after]), 'after.pdf');
    return this.#transport.json('/v1/pdf/compare', { ...options, method: 'POST', body, query: { tolerance, pictures } });
  }

  /** Returns what the account used in a month, such as `2026-10`. Default: this month. */
  usage({ month, ...options }: CallOptions & { month?: string } = {}): Promise<api.Usage> {
    return this.#transport.json('/v1/usage', { ...options, query: { month } });
  }

  account(options?: CallOptions): Promise<api.Account> {
    return this.#transport.json('/v1/account', options);
  }

  updateAccount(change: api.AccountChange, options?: CallOptions): Promise<api.Account> {
    return this.#transport.json('/v1/account', { ...options, method: 'PATCH', body: change });
  }

  #post(path: string, body: object, accept: string, options?: CallOptions): Promise<Response> {
    return this.#transport.send(path, { ...options, method: 'POST', body, headers: { accept } });
  }
}
