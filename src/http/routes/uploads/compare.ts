/** `POST /v1/pdf/compare`: where the pages of two PDFs differ. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidField, ServiceError } from '../../../errors.ts';
import type { PageDifference } from '../../../uploads/compare/compare-worker.ts';
import { recordSchema } from '../../replies/response-schema.ts';
import { readForm } from '../../requests/form-body.ts';
import { readQuery } from '../../requests/listing.ts';
import { readBody } from '../../requests/read-body.ts';
import { requirePrincipal } from '../../server/authenticate.ts';
import { disconnectSignal, untilDisconnect } from '../../server/client-disconnect.ts';
import { RATE_LIMITED } from '../../server/rate-limit.ts';
import type { RouteServices } from '../services.ts';

interface ComparedFiles {
  before: Buffer;
  after: Buffer;
}

const FORM = 'multipart/form-data';
const MAX_TOLERANCE = 255;
const MAX_PICTURES = 20;
const PICTURE_EDGE = 1_000;

export async function compareRoutes(app: FastifyInstance, { pdfComparison }: RouteServices): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(FORM, async (request: FastifyRequest) => readFiles(request, await readBody(request)));
    scope.post('/v1/pdf/compare', { schema: SCHEMA, config: RATE_LIMITED }, async (request, reply) => {
      const { tolerance, pictures } = readQuery(request, { tolerance: upTo(MAX_TOLERANCE), pictures: upTo(MAX_PICTURES) });
      if (!request.body)
        throw new ServiceError('unsupported_media_type', `send the PDFs as the files before and after of a form (${FORM})`);
      const client = disconnectSignal(reply);
      const order = {
        ...(request.body as ComparedFiles),
        ...(tolerance && { tolerance }),
        ...(pictures && { pictures: { longestEdge: PICTURE_EDGE, most: pictures } }),
      };
      const pages = await untilDisconnect(client, pdfComparison.compare(requirePrincipal(request).accountId, order, client));
      return toComparison(pages);
    });
  });
}

async function readFiles(request: FastifyRequest, body: Buffer): Promise<ComparedFiles> {
  const parts = await readForm(body, request.headers['content-type'] ?? '', 2);
  const find = (name: string) => {
    const part = parts.find((each) => each.name === name);
    if (!part) throw invalidField(name, 'is required: a PDF, as a file of the form, beside the other PDF');
    return part.content;
  };
  return { before: find('before'), after: find('after') };
}

function upTo(most: number) {
  return (text: string): number => {
    if (/^\d{1,3}$/.test(text) && Number(text) <= most) return Number(text);
    throw new Error(`must be a whole number from 0 to ${most}`);
  };
}

function toComparison(pages: PageDifference[]) {
  const count = (wanted: PageDifference['status']) => pages.filter(({ status }) => status === wanted).length;
  const [same, changed, added, removed] = [count('same'), count('changed'), count('added'), count('removed')];
  return { equal: same === pages.length, same, changed, added, removed, pages: pages.map(toPage) };
}

function toPage({ pictures, ...page }: PageDifference) {
  if (!pictures) return page;
  const encode = (png: Uint8Array | undefined) => png && Buffer.from(png).toString('base64');
  return { ...page, pictures: { before: encode(pictures.before), after: encode(pictures.after) } };
}

const NUMBER = { type: 'number' };
const COUNT = { type: 'integer', minimum: 0 };
const LINES = { type: 'array', items: { type: 'string' } };
const PICTURE = { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' };
const PAGE_NUMBER = { type: ['integer', 'null'], description: 'From 1. Null if this PDF lacks the page.' };

const PAGE = recordSchema(
  'ComparedPage',
  {
    before: PAGE_NUMBER,
    after: PAGE_NUMBER,
    status: { $id: 'ComparedPageStatus', type: 'string', enum: ['same', 'changed', 'added', 'removed'] },
    pixels: { ...COUNT, description: 'How many pixels differ at 216 dpi.' },
    areas: {
      type: 'array',
      items: { ...recordSchema('ComparedArea', { x: NUMBER, y: NUMBER, width: NUMBER, height: NUMBER }) },
      description: 'What differs, in points from the upper left corner: at most 40 areas, and links that moved.',
    },
    text: {
      ...recordSchema('ComparedText', { removed: LINES, added: LINES }),
      description: 'Lines that only one of the pages has, at most 20 of each.',
    },
    width: { ...NUMBER, description: 'The width of the wider page in points.' },
    height: { ...NUMBER, description: 'The height of the higher page in points.' },
    pictures: { $id: 'ComparedPictures', type: 'object', properties: { before: PICTURE, after: PICTURE } },
  },
  ['pictures'],
);

const SCHEMA = {
  operationId: 'comparePdfs',
  summary: 'Compare two PDFs',
  description:
    'Draws the pages of two PDFs and finds where they differ, in one pixel or one line of text. Pages are paired by their text. PDFs may have 2,000 pages each. It is not charged. Metadata, dates and ids do not count.',
  querystring: {
    type: 'object',
    properties: {
      tolerance: {
        ...{ type: 'integer', minimum: 0, maximum: MAX_TOLERANCE, default: 0 },
        description: 'Ignore colors that differ by up to so many steps of 255 in each channel.',
      },
      pictures: {
        ...{ type: 'integer', minimum: 0, maximum: MAX_PICTURES, default: 0 },
        description: `For how many of the pages that differ to return PNGs of both sides. Their longer edge has ${PICTURE_EDGE} pixels.`,
      },
    },
  },
  body: {
    content: {
      [FORM]: {
        schema: {
          $id: 'ComparisonForm',
          type: 'object',
          required: ['before', 'after'],
          additionalProperties: false,
          properties: { before: { type: 'string', format: 'binary' }, after: { type: 'string', format: 'binary' } },
        },
      },
    },
  },
  response: {
    200: {
      description: 'What was found.',
      ...recordSchema('Comparison', {
        equal: { type: 'boolean', description: 'Whether all pages are the same.' },
        same: COUNT,
        changed: COUNT,
        added: COUNT,
        removed: COUNT,
        pages: { type: 'array', items: PAGE },
      }),
    },
  },
  errors: [422],
};
