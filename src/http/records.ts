/** What the services hand out, as the interface names it: times in RFC 3339, snake_case. */
import type { StoredDocument } from '../documents/documents.ts';
import { WARNING_KINDS } from '../render/warnings.ts';
import type { Template } from '../templates/templates.ts';
import type { TemplateVersion } from '../templates/versions.ts';

export function documentRecord(document: StoredDocument, origin: string) {
  return {
    document_id: document.id,
    filename: document.filename,
    bytes: document.bytes,
    pages: document.pages,
    sha256: document.sha256,
    source: document.source,
    ...(document.templateId !== null && { template_id: document.templateId }),
    created_at: timeOf(document.createdAt),
    expires_at: timeOf(document.expiresAt),
    url: `${origin}/v1/documents/${document.id}`,
    ...(document.report && { report: document.report }),
  };
}

export function templateRecord(template: Template) {
  return {
    template_id: template.id,
    name: template.name,
    engine: template.engine,
    version: template.version,
    placeholders: template.placeholders,
    created_at: timeOf(template.createdAt),
    updated_at: timeOf(template.updatedAt),
  };
}

/** A version as lists show it. */
export function versionRecord({ version, name, engine, bytes, updatedAt }: TemplateVersion) {
  return { version, name, engine, bytes, updated_at: timeOf(updatedAt) };
}

export function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

const TIME = { type: 'string', format: 'date-time' };

const HOSTS = { type: 'array', items: { type: 'string', examples: ['fonts.example.com:443'] } };

export const REPORT_SCHEMA = {
  type: 'object',
  description: 'What the render asked for, and what is missing of the document. Not in lists.',
  properties: {
    network: {
      type: 'object',
      properties: {
        requests: { type: 'integer' },
        bytes: { type: 'integer', description: 'As they came, packed and encrypted.' },
        contacted: { ...HOSTS, description: 'At most 100.' },
        refused: { ...HOSTS, description: 'Refused or cut off, at most 100. What is there is not told.' },
      },
    },
    warnings: {
      type: 'array',
      description: 'At most 100 of each kind.',
      items: {
        type: 'object',
        properties: {
          kind: { type: 'string', enum: WARNING_KINDS },
          message: { type: 'string' },
          url: { type: 'string' },
          host: { type: 'string' },
          status: { type: 'integer' },
          net_error: { type: 'string', description: "Chromium's name for it.", examples: ['ERR_NAME_NOT_RESOLVED'] },
          pixels: { type: 'integer', description: 'CSS pixels that are cut off.' },
          side: { type: 'string', enum: ['right', 'bottom'], description: 'Where they are.' },
          element: {
            type: 'string',
            description: 'The box that cuts off most; none where it is the paper.',
            examples: ['div.main'],
          },
          percent: { type: 'integer', description: 'Size at which a document is printed that was made smaller.', examples: [72] },
          property: { type: 'string', description: 'CSS without effect.', examples: ['float'] },
          value: { type: 'string', examples: ['footnote'] },
          where: { type: 'string', description: 'Address of its style sheet, or `style` for one in the document.' },
          script: { type: 'string', description: 'Of characters without a glyph.', examples: ['Tibetan'] },
          characters: { type: 'string', description: 'The first distinct ones, at most 10.' },
          count: {
            type: 'integer',
            description: 'How many characters of the document are concerned, or boxes that cut something off.',
          },
          family: { type: 'string', description: 'That another font stands in for.' },
        },
      },
    },
    warning_count: { type: 'integer', description: 'How many there are; also in Platen-Warnings.' },
    timings: {
      type: 'object',
      description: 'Milliseconds, until the PDF was there.',
      properties: Object.fromEntries(['queue', 'load', 'print', 'finish'].map((phase) => [phase, { type: 'number' }])),
    },
  },
};

export const DOCUMENT_SCHEMA = {
  type: 'object',
  properties: {
    document_id: { type: 'string', examples: ['doc_0123456789ABCDEFGHIJKL'] },
    filename: { type: 'string', examples: ['invoice-42.pdf'] },
    bytes: { type: 'integer', description: 'Size of the PDF.' },
    pages: { type: 'integer' },
    sha256: { type: 'string', description: 'Digest of the PDF, in hexadecimal; also its ETag.' },
    source: { type: 'string', enum: ['html', 'markdown', 'url', 'template'] },
    template_id: { type: 'string', description: 'Only where the source is a template.' },
    created_at: TIME,
    expires_at: { ...TIME, description: 'From this instant on the document is answered with 410.' },
    url: { type: 'string', format: 'uri', description: 'The PDF, for the key that made it.' },
    report: REPORT_SCHEMA,
  },
};

export const TEMPLATE_SCHEMA = {
  type: 'object',
  properties: {
    template_id: { type: 'string', examples: ['tpl_0123456789ABCDEFGHIJKL'] },
    name: { type: 'string' },
    engine: { type: 'string', enum: ['placeholders', 'liquid'] },
    version: { type: 'integer', description: 'Raised by every PUT.' },
    placeholders: { type: 'array', items: { type: 'string' }, description: 'The paths the template takes from the data.' },
    created_at: TIME,
    updated_at: TIME,
  },
};

export const VERSION_SCHEMA = {
  type: 'object',
  properties: {
    version: { type: 'integer' },
    name: { type: 'string' },
    engine: { type: 'string', enum: ['placeholders', 'liquid'] },
    bytes: { type: 'integer', description: 'Of its HTML.' },
    updated_at: { ...TIME, description: 'When this version came to be.' },
  },
};

/** One page of a list. */
export function listSchema(item: object) {
  return {
    type: 'object',
    properties: {
      data: { type: 'array', items: item, description: 'Newest first.' },
      has_more: { type: 'boolean' },
      next_cursor: { type: ['string', 'null'], description: 'Send it as `cursor` to get the next page.' },
    },
  };
}

/** The parameters every list takes. */
export const PAGE_PARAMETERS = {
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  cursor: { type: 'string', description: 'The `next_cursor` of the page before.' },
};
