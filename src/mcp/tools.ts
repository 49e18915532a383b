/** The tools of the MCP server: their names, schemas and API calls. */
import type { ContentBlock, ResourceLink } from '@modelcontextprotocol/sdk/types.js';
import { type ApiAccess, callApi, readBytes } from './api.ts';
import type { InputSchema } from './input-schemas.ts';

interface Tool {
  description: string;
  /** The schema of the arguments, or the name of the request body in the OpenAPI document that they are the members of. */
  input: InputSchema | string;
  run(access: ApiAccess, given: Record<string, unknown>): Promise<ContentBlock[]>;
}

interface Stored {
  document_id: string;
  filename: string;
  /** Media type. */
  type: string;
  pages: number;
  bytes: number;
  report?: { warnings: Array<{ kind: string; message: string; url?: string }> };
}

/** Larger PDFs must be stored and linked, because the result of a tool becomes part of the context of a model. */
const MAX_INLINE_BYTES = 2_000_000;
/** Maximum size of an image, of JSON, or of a PDF that a client reads, because several copies of it are in memory. */
export const MAX_REPLY_BYTES = 16_000_000;
const PDF = 'application/pdf';

/** How long the tool waits for a result that is uploaded. */
const UPLOAD_WAIT_SECONDS = 30;

const HOW_PDFS_RETURN =
  'The PDF is stored and linked as a resource; with `store: false`, it is returned in the result, which is possible up to 2 MB.';

export const TOOLS: Readonly<Record<string, Tool>> = {
  render: {
    description: `Renders HTML, Markdown, a web page or a stored template with data to PDF. Send exactly one of html, markdown, url and template_id. ${HOW_PDFS_RETURN}`,
    input: 'PdfRequest',
    run: renderPdf,
  },
  render_template: {
    description: `Fills a stored template (see list_templates) with data and renders it to PDF. ${HOW_PDFS_RETURN}`,
    input: 'TemplatePdfRequest',
    run: renderPdf,
  },
  assemble: {
    description: `Puts a PDF together from documents that are rendered, stored PDFs (document_id) and other PDFs (base64), and changes it in steps: selects, turns and stamps pages, fills forms, adds bookmarks, redacts texts and areas, makes PDF/A, and signs. The step extract returns text, Markdown (of tagged PDFs), images, metadata, bookmarks and fields of a PDF instead. ${HOW_PDFS_RETURN}`,
    input: 'AssemblyBody',
    run: assemblePdf,
  },
  render_image: {
    description:
      'Renders HTML, Markdown, a web page or a stored template with data to an image for viewing. Send exactly one of html, markdown, url and template_id.',
    input: 'ImageRequest',
    run: renderImage,
  },
  list_templates: {
    description: 'Lists the stored templates with their placeholders.',
    input: {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100 },
        cursor: { type: 'string', description: 'The next_cursor of the previous page.' },
      },
      additionalProperties: false,
    },
    run: listTemplates,
  },
};

async function renderPdf(access: ApiAccess, given: Record<string, unknown>, path = '/v1/pdf'): Promise<ContentBlock[]> {
  // What is uploaded is stored only if the caller asks for it.
  const body = isUploaded(given) ? given : { ...given, store: given.store ?? true };
  const response = await callRender(access, path, body, body.store === false ? `${PDF}, application/json;q=0.5` : undefined);
  if (isJson(response)) return describeJson(response);
  const pdf = await readBytes(response, MAX_INLINE_BYTES, 'send store: true');
  const resource = { uri: 'platen://rendered.pdf', mimeType: PDF, blob: pdf.toString('base64') };
  return [
    { type: 'text', text: `${response.headers.get('platen-pages')} pages` },
    { type: 'resource', resource },
  ];
}

async function assemblePdf(access: ApiAccess, given: Record<string, unknown>): Promise<ContentBlock[]> {
  const { steps } = given;
  const extracts = Array.isArray(steps) && steps.some((step) => Object(step).extract !== undefined);
  return renderPdf(access, extracts ? { ...given, store: false } : given, '/v1/pdf/assemble');
}

function isUploaded(body: Record<string, unknown>): boolean {
  return (body.deliver_to ?? undefined) !== undefined;
}

function callRender(access: ApiAccess, path: string, body: Record<string, unknown>, accept?: string): Promise<Response> {
  const prefer = isUploaded(body) ? `wait=${UPLOAD_WAIT_SECONDS}` : undefined;
  return callApi(access, path, { method: 'POST', body, accept, prefer });
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false;
}

/** The record of a stored document, or the reply to a dry run, a conformance report or an upload. */
async function describeJson(response: Response): Promise<ContentBlock[]> {
  const record = (await readJson(response)) as Partial<Stored>;
  const isStored = record.document_id !== undefined && record.filename !== undefined;
  return isStored
    ? [{ type: 'text', text: summarize(record as Stored) }, linkTo(record as Stored)]
    : [{ type: 'text', text: JSON.stringify(record) }];
}

async function readJson(response: Response): Promise<unknown> {
  return JSON.parse(String(await readBytes(response, MAX_REPLY_BYTES, 'ask for less, such as fewer pages')));
}

function summarize({ document_id, pages, bytes, report }: Stored): string {
  const warnings = report?.warnings.map(({ kind, url, message }) => `\n${kind}: ${url ? `${url}: ` : ''}${message}`) ?? [];
  return `${document_id}: ${pages} ${pages === 1 ? 'page' : 'pages'}, ${bytes} bytes${warnings.join('')}`;
}

export function linkTo({ document_id, filename, type, pages, bytes }: Stored): ResourceLink {
  const extent = type === PDF ? `${pages} ${pages === 1 ? 'page' : 'pages'}` : 'image';
  const description = `${extent}, ${bytes} bytes`;
  return { type: 'resource_link', uri: `platen://documents/${document_id}`, name: filename, mimeType: type, description };
}

async function renderImage(access: ApiAccess, body: Record<string, unknown>): Promise<ContentBlock[]> {
  const response = await callRender(access, '/v1/image', body, 'image/*');
  if (isJson(response)) return describeJson(response);
  const image = await readBytes(response, MAX_REPLY_BYTES, 'ask for a smaller viewport, a clip, or jpeg');
  return [{ type: 'image', data: image.toString('base64'), mimeType: response.headers.get('content-type') ?? 'image/png' }];
}

async function listTemplates(access: ApiAccess, given: Record<string, unknown>): Promise<ContentBlock[]> {
  const query = new URLSearchParams(given as Record<string, string>);
  const list = await readJson(await callApi(access, `/v1/templates?${query}`));
  return [{ type: 'text', text: JSON.stringify(list) }];
}
