/** The tools of the MCP server: their names, schemas and API calls. */
import { type ApiAccess, bytesOf, callApi } from './api.ts';

/** The content of a tool result in MCP. */
type Content =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType: string; description: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } };

interface Tool {
  description: string;
  inputSchema: { type: 'object'; properties: Record<string, object>; required?: string[]; additionalProperties: false };
  run(access: ApiAccess, given: Record<string, unknown>): Promise<Content[]>;
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
/** Maximum size of an image, or of a PDF that a client reads, because several copies of it are in memory. */
export const MAX_REPLY_BYTES = 16_000_000;
const PDF = 'application/pdf';

const OPTIONS = {
  type: 'object',
  description:
    'Render options as in POST /v1/pdf, such as format, landscape, margin, scale, pageRanges, headerTemplate, footerTemplate, waitForSelector.',
};
const SOURCES = {
  html: { type: 'string', description: 'A complete HTML document. Send exactly one source.' },
  markdown: { type: 'string', description: 'A document in Markdown.' },
  url: { type: 'string', description: 'The URL of a page.' },
  template_id: { type: 'string', description: 'A stored template; see list_templates.' },
  data: { type: 'object', description: 'The data to fill the template with.' },
};
const KEEPING = {
  filename: { type: 'string', description: 'Name of the PDF.' },
  store: {
    type: 'boolean',
    description:
      'Whether the PDF is stored and linked as a resource (the default), or returned in the result, which is possible up to 2 MB.',
  },
};

const schemaOf = (properties: Record<string, object>, required: string[] = []) =>
  ({ type: 'object', properties, ...(required.length && { required }), additionalProperties: false }) as const;

export const TOOLS: Readonly<Record<string, Tool>> = {
  render: {
    description: 'Renders HTML, Markdown, a web page or a stored template with data to PDF.',
    inputSchema: schemaOf({ ...SOURCES, options: OPTIONS, ...KEEPING }),
    run: renderPdf,
  },
  render_template: {
    description: 'Fills a stored template with data and renders it to PDF.',
    inputSchema: schemaOf({ template_id: SOURCES.template_id, data: SOURCES.data, options: OPTIONS, ...KEEPING }, [
      'template_id',
    ]),
    run: renderPdf,
  },
  render_image: {
    description: 'Renders HTML, Markdown, a web page or a stored template with data to an image for viewing.',
    inputSchema: schemaOf({
      ...SOURCES,
      options: {
        type: 'object',
        description: 'Options as in POST /v1/image, such as type (png, jpeg, webp), viewport, selector, clip, fullPage.',
      },
    }),
    run: renderImage,
  },
  list_templates: {
    description: 'Lists the stored templates with their placeholders.',
    inputSchema: schemaOf({
      limit: { type: 'integer', minimum: 1, maximum: 100 },
      cursor: { type: 'string', description: 'The next_cursor of the previous page.' },
    }),
    run: listTemplates,
  },
};

async function renderPdf(access: ApiAccess, given: Record<string, unknown>): Promise<Content[]> {
  const { store = true, ...body } = given;
  if (store === true) {
    const stored = (await (await callApi(access, '/v1/pdf', { method: 'POST', body: { ...body, store } })).json()) as Stored;
    return [{ type: 'text', text: summaryOf(stored) }, linkTo(stored)];
  }
  const response = await callApi(access, '/v1/pdf', { method: 'POST', body: { ...body, store }, accept: PDF });
  const pdf = await bytesOf(response, MAX_INLINE_BYTES, 'send store: true');
  const resource = { uri: 'platen://rendered.pdf', mimeType: PDF, blob: pdf.toString('base64') };
  return [
    { type: 'text', text: `${response.headers.get('platen-pages')} pages` },
    { type: 'resource', resource },
  ];
}

function summaryOf({ document_id, pages, bytes, report }: Stored): string {
  const warnings = report?.warnings.map(({ kind, url, message }) => `\n${kind}: ${url ? `${url}: ` : ''}${message}`) ?? [];
  return `${document_id}: ${pages} ${pages === 1 ? 'page' : 'pages'}, ${bytes} bytes${warnings.join('')}`;
}

export function linkTo({ document_id, filename, type, pages, bytes }: Stored): Content & { type: 'resource_link' } {
  const extent = type === PDF ? `${pages} ${pages === 1 ? 'page' : 'pages'}` : 'image';
  const description = `${extent}, ${bytes} bytes`;
  return { type: 'resource_link', uri: `platen://documents/${document_id}`, name: filename, mimeType: type, description };
}

async function renderImage(access: ApiAccess, body: Record<string, unknown>): Promise<Content[]> {
  const response = await callApi(access, '/v1/image', { method: 'POST', body, accept: 'image/*' });
  const image = await bytesOf(response, MAX_REPLY_BYTES, 'ask for a smaller viewport, a clip, or jpeg');
  return [{ type: 'image', data: image.toString('base64'), mimeType: response.headers.get('content-type') ?? 'image/png' }];
}

async function listTemplates(access: ApiAccess, given: Record<string, unknown>): Promise<Content[]> {
  const query = new URLSearchParams(given as Record<string, string>);
  const list = await (await callApi(access, `/v1/templates?${query}`)).json();
  return [{ type: 'text', text: JSON.stringify(list) }];
}
