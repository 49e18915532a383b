/**
 * Reads bodies of `POST /v1/pdf` and `POST /v1/image` that are not JSON: the document itself with options as query parameters, or a
 * form with the document and files, in; the equivalent JSON body and the files out.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidField, invalidRequest } from '../../errors.ts';
import { INVOICE_PROFILES } from '../../pdf/conformance/invoice-profiles.ts';
import type { RenderLimits } from '../../render/request/render-request.ts';
import { equivalentOption } from '../../render/request/schemas/equivalent-options.ts';
import { MAX_HTML_BYTES } from '../../render/request/schemas/options-schema.ts';
import type { UploadedFile } from '../../render/request/values/assets.ts';
import { suggestAssets } from '../../render/request/values/document-size.ts';
import { decodeUtf8 } from '../../utf8.ts';
import { isMembers, type Members } from '../../validate.ts';
import { JSON_TYPE } from '../server/negotiation.ts';
import { requireUtf8 } from './charset.ts';
import { type Part, readForm } from './form-body.ts';
import { rememberBody, rememberParts } from './idempotent.ts';
import { parseJson } from './json-body.ts';
import { readQuery } from './listing.ts';
import { DOCUMENT_FIELDS, formFields, type Schemas, toMembers, withParameterNames } from './parameters.ts';
import { freeBuffer, memoryOfBody, readBody } from './read-body.ts';
import { requestMemory, takeBody } from './request-memory.ts';

type ParseRequest<T> = (members: unknown, limits: RenderLimits, files?: readonly UploadedFile[]) => T;

/** Parses a request from a body of any type. Throws as `parseRequest` does. */
export function parseBody<T>(body: unknown, limits: RenderLimits, parseRequest: ParseRequest<T>): T {
  return body instanceof SourceBody ? body.parse(limits, parseRequest) : parseRequest(body, limits);
}

/** Takes the body from the request. Refuses query parameters beside a JSON body, which can hold every option itself. */
export function takeSourceBody(request: FastifyRequest): unknown {
  const body = takeBody(request);
  if (!(body instanceof SourceBody)) refuseQuery(request);
  return body;
}

function refuseQuery(request: FastifyRequest): void {
  const errors = Object.keys(request.query as object).map((name) => {
    const meant = equivalentOption('', name);
    return {
      path: name,
      message: `there is no such parameter with a JSON body${meant && !meant.includes(' ') ? `; send ${meant} in the body` : ''}`,
    };
  });
  if (errors.length) throw invalidRequest(errors);
}

export class SourceBody {
  readonly #members: unknown;
  readonly #files: UploadedFile[];
  /** Whether options were sent under their own names, without `options.`. */
  readonly #isOfParameters: boolean;

  constructor(members: unknown, { files = [], isOfParameters }: { files?: UploadedFile[]; isOfParameters: boolean }) {
    this.#members = members;
    this.#files = files;
    this.#isOfParameters = isOfParameters;
  }

  /** The members of the equivalent JSON body. Undefined if it is not an object. */
  get members(): Members | undefined {
    return isMembers(this.#members) ? this.#members : undefined;
  }

  /** Throws as `parseRequest` does. */
  parse<T>(limits: RenderLimits, parseRequest: ParseRequest<T>): T {
    const parse = () => parseRequest(this.#members, limits, this.#files);
    return this.#isOfParameters ? withParameterNames(parse) : parse();
  }

  /** The equivalent JSON body. Call it after `parse`. */
  toJson(): Record<string, unknown> {
    const members = this.#members as Record<string, unknown>;
    if (!this.#files.length) return members;
    const uploaded = this.#files.map(({ path, type, content }) => [
      path,
      { content: content.toString('base64'), ...(type && { type }) },
    ]);
    return { ...members, assets: { ...Object(members.assets), ...Object.fromEntries(uploaded) } };
  }
}

/** Maximum number of characters of a file name in an error. */
const MAX_SHOWN = 100;
const RAW_SOURCES = { 'text/html': 'html', 'text/markdown': 'markdown' } as const;

/** Applies only to the routes of `app`, which take these parameters. */
export function readSourceBodies(app: FastifyInstance, { maxAssets = 0 }: RenderLimits, parameters: Schemas): void {
  const fields = formFields(parameters);
  for (const [type, source] of Object.entries(RAW_SOURCES))
    app.addContentTypeParser(type, async (request: FastifyRequest) => {
      requireUtf8(request);
      const members = toMembers(Object.entries(request.query as object), parameters); // parameters are checked before the body, which may be long
      return new SourceBody({ [source]: await readDocument(request, source), ...members }, { isOfParameters: true });
    });
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    readQuery(request, {});
    const maxParts = maxAssets + 2 + Object.keys(fields).length; // with request and invoice_profile
    return formBody(request, await readParts(request, maxParts), fields);
  });
}

/** Reads forms that have the JSON body in a part `request`, and files beside it. */
export function readRequestForms(app: FastifyInstance, { maxAssets = 0 }: RenderLimits): void {
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    readQuery(request, {});
    const parts = await readParts(request, maxAssets + 1);
    if (!parts.some(({ name }) => name === 'request')) throw invalidField('request', 'is required: the JSON body');
    return formBody(request, parts, {});
  });
}

/** Reads a form, and remembers its parts for the Idempotency-Key, because the boundary differs each time. */
export async function readParts(request: FastifyRequest, maxParts: number): Promise<Part[]> {
  requireUtf8(request);
  const parts = await readForm(await readBody(request), request.headers['content-type'] ?? '', maxParts);
  rememberParts(request, parts);
  return parts;
}

async function readDocument(request: FastifyRequest, source: string): Promise<string> {
  const body = await readBody(request, Math.min(MAX_HTML_BYTES, request.routeOptions.bodyLimit)).catch(suggestAssets);
  try {
    rememberBody(request, body, source);
    return decodeText('', body, source === 'html' ? 'in.html' : 'in.md');
  } finally {
    freeBuffer(body);
  }
}

function formBody(request: FastifyRequest, parts: Part[], known: Schemas): SourceBody {
  const files = parts.filter(({ name }) => name === 'files').map(toUploadedFile);
  const given = parts.find(({ name }) => name === 'request');
  const others = parts.filter((part) => part.name !== 'files' && part !== given);
  refuseStrayFiles(others, known);
  const [fields, invoice] = takeInvoice(others.map(toField));
  const members = toMembers(fields, given ? DOCUMENT_FIELDS : known);
  if (!given) return new SourceBody(withInvoice(members, invoice), { files, isOfParameters: true });
  const held = parts.reduce((sum, { content }) => sum + content.length, 0);
  const parsed = parseJson(given.content, (values) => requestMemory(request).atLeast(memoryOfBody(held, values)));
  const body = isMembers(parsed) ? withInvoice(Object.assign(parsed, members), invoice) : parsed;
  return new SourceBody(body, { files, isOfParameters: false });
}

/** A file in a part with another name is meant as a file beside the document. */
function refuseStrayFiles(parts: Part[], known: Schemas): void {
  const names = parts.filter(({ filename }) => filename !== undefined).map(({ name }) => name);
  const stray = names.filter((name) => !Object.hasOwn(known, name) && name !== 'invoice_profile');
  if (!stray.length) return;
  throw invalidRequest(
    stray.map((path) => ({ path, message: 'there is no such parameter; send files beside the document in parts named files' })),
  );
}

type Field = [name: string, text: string];

/** Combines the XML in the part `invoice` and the part `invoice_profile` into the option `invoice`. Without a profile, changes nothing. */
function takeInvoice(fields: Field[]): [others: Field[], invoice: object | undefined] {
  const profile = fields.find(([name]) => name === 'invoice_profile');
  const xml = fields.find(([name]) => name === 'invoice');
  if (!profile && xml && /^\s*</.test(xml[1]))
    throw invalidField('invoice_profile', `is required with an XML file: one of ${INVOICE_PROFILES.join(', ')}`);
  if (!profile) return [fields, undefined];
  const others = fields.filter((field) => field !== profile && field !== xml);
  return [others, { profile: profile[1], ...(xml && { xml: xml[1] }) }];
}

function withInvoice(members: Members, invoice: object | undefined): Members {
  if (!invoice) return members;
  return { ...members, options: isMembers(members.options) ? { ...members.options, invoice } : { invoice } };
}

export function toUploadedFile({ filename, type, content }: Part): UploadedFile {
  if (!filename) throw invalidField('files', 'must each have a filename, which is its path');
  return { path: filename, type, content };
}

function toField({ name, filename, content }: Part): Field {
  return [name, decodeText(name, content, filename)];
}

/** `file` is the name of the text in an error. Throws `invalid_request`. */
export function decodeText(path: string, content: Buffer, file = path === 'html' ? 'in.html' : 'in.txt'): string {
  const toError = (message: string) => invalidField(path, `${path ? '' : 'the body '}${message}`);
  return decodeUtf8(content, file.slice(0, MAX_SHOWN), toError);
}

const FORM_SCHEMA = {
  $id: 'DocumentForm',
  type: 'object',
  description:
    'The document in `request` (the JSON body), `html` or `markdown`, and files beside it. Without `request`, every query parameter may be a part of the form.',
  properties: {
    request: { type: 'string', contentMediaType: JSON_TYPE },
    html: { type: 'string' },
    markdown: { type: 'string' },
    stylesheet: { type: 'string' },
    invoice: {
      type: 'string',
      description: 'For a PDF. With `invoice_profile`: the XML of `options.invoice` as a file. Otherwise the option as JSON.',
    },
    invoice_profile: { type: 'string', enum: [...INVOICE_PROFILES] },
    files: {
      type: 'array',
      items: { type: 'string', format: 'binary' },
      description: 'Files beside the document. The file name of each part is its path, such as `css/print.css`.',
    },
  },
};

export const SOURCE_CONTENT = {
  'text/html': { schema: { type: 'string' } },
  'multipart/form-data': { schema: FORM_SCHEMA },
  'text/markdown': { schema: { type: 'string' } },
};
