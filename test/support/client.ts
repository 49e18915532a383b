/** An API client for tests with short request methods, and assertions on error replies. */
import { expect } from 'vitest';
import type {
  Batch,
  Document,
  Render,
  Report,
  Problem as StandardProblem,
  Template,
  Usage,
} from '../../clients/typescript/src/api.ts';

export type {
  ApiKey,
  Batch,
  BatchItemResult,
  Comparison,
  Document as DocumentRecord,
  DryRunResult,
  LoggedRequest,
  Render,
  Report,
  TemplateVersion as VersionRecord,
  Validation,
  WebhookDelivery,
  WebhookSecret,
} from '../../clients/typescript/src/api.ts';
export type TemplateRecord = Template & { html?: string };
export type UsageRecord = { [Member in keyof Usage]-?: NonNullable<Usage[Member]> };
export type Problem = StandardProblem & Record<string, unknown>;

/** Returns the document as lists contain it, without its report. */
export function withoutReport({ report: _, ...record }: Document): Document {
  return record;
}

export interface List<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

type Headers = Record<string, string>;

export class Client {
  readonly url: string;
  readonly key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.key = key;
  }

  /** Sends `body` as JSON, but strings and bytes unchanged. */
  async send(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Response> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    return fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
    });
  }

  get(path: string, headers?: Headers): Promise<Response> {
    return this.send('GET', path, undefined, headers);
  }

  /** Returns the JSON of a successful reply. */
  async json<T>(path: string): Promise<T> {
    return (await (await succeeded(this.get(path, { accept: 'application/json' }))).json()) as T;
  }

  pdf(body: unknown, headers?: Headers): Promise<Response> {
    return this.send('POST', '/v1/pdf', body, headers);
  }

  /** Renders a document, and returns the PDF. */
  async rendered(body: unknown): Promise<Buffer> {
    return bytesOf(await succeeded(this.pdf(body)));
  }

  /** Renders and stores a document, and returns its record. */
  async store(body: object, headers?: Headers): Promise<Document> {
    const response = await this.pdf({ ...body, store: true }, headers);
    expect(response.status, await response.clone().text()).toBe(201);
    return (await response.json()) as Document;
  }

  /** Renders and stores a document, and returns its report. */
  async report(body: object): Promise<Report> {
    const { report } = await this.store(body);
    if (!report) throw new Error('a record without a report');
    return report;
  }

  /** Sends a batch, and returns it after its end. */
  async batch(body: object, headers?: Headers): Promise<Batch> {
    const response = await succeeded(this.send('POST', '/v1/batches', body, { prefer: 'wait=60', ...headers }));
    return (await response.json()) as Batch;
  }

  /** Returns an asynchronous render after its end. */
  async ended({ render_id }: Pick<Render, 'render_id'>): Promise<Render> {
    const response = await this.get(`/v1/renders/${render_id}`, { prefer: 'wait=60' });
    return (await response.json()) as Render;
  }

  async template(html: string, more: object = {}): Promise<TemplateRecord> {
    const response = await this.send('POST', '/v1/templates', { name: 'test', html, ...more });
    expect(response.status, await response.clone().text()).toBe(201);
    return (await response.json()) as TemplateRecord;
  }

  usage(): Promise<UsageRecord> {
    return this.json('/v1/usage');
  }
}

export async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

/** Returns a reply that must have the status 200. */
export async function succeeded(reply: Response | Promise<Response>): Promise<Response> {
  const response = await reply;
  expect(response.status, response.ok ? '' : await response.clone().text()).toBe(200);
  return response;
}

/** Returns the problem document of a reply, which must have this status and code. */
export async function problem(response: Response, status: number, code: string): Promise<Problem> {
  const body = (await response.json()) as Problem;
  expect(body).toMatchObject({ status, code });
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  expect(response.headers.get('x-request-id')).toBe(body.request_id);
  expect(body.request_id).toMatch(/^req_[0-9A-Za-z]{22}$/);
  expect(body.type).toBe(`${new URL(response.url).origin}/errors/${code}`);
  return body;
}
