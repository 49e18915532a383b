/** `POST /v1/templates/preview`: renders a template that is being written, without a charge. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { ServiceError } from '../../../errors.ts';
import {
  MAX_PLAYGROUND_BODY_BYTES,
  MAX_PLAYGROUND_HTML_BYTES,
  playgroundLimits,
} from '../../../playground/playground-request.ts';
import type { PreviewRequest } from '../../../render/preview.ts';
import { type DefaultOptions, withDefaultOptions, withoutLongTimes } from '../../../render/request/default-options.ts';
import {
  checkSize,
  parseData,
  parseRenderRequest,
  parseTemplateId,
  type RenderLimits,
} from '../../../render/request/render-request.ts';
import { equivalentOption } from '../../../render/request/schemas/equivalent-options.ts';
import { option } from '../../../render/request/schemas/option.ts';
import { AnyObject, PdfOptions, TEMPLATE_ID } from '../../../render/request/schemas/options-schema.ts';
import { AssetChangesSchema, splitAssetChanges } from '../../../render/request/values/assets.ts';
import { ValidationErrors } from '../../../render/request/values/validation-errors.ts';
import { textErrors, validator } from '../../../validate.ts';
import { withExample } from '../../replies/response-schema.ts';
import { sendUncharged, UNCHARGED } from '../../replies/send-uncharged.ts';
import { memoryOfRender, spoolPdf } from '../../replies/spool-pdf.ts';
import { readQuery } from '../../requests/listing.ts';
import { requestUsage, takeBody } from '../../requests/request-memory.ts';
import { requirePrincipal } from '../../server/authenticate.ts';
import { disconnectSignal } from '../../server/client-disconnect.ts';
import { JSON_TYPE, PDF, requireAcceptable } from '../../server/negotiation.ts';
import type { RouteServices } from '../services.ts';
import { engine, html } from './template-fields.ts';

const PreviewBody = Type.Object(
  {
    html: { ...html, description: `The template, at most ${MAX_PLAYGROUND_HTML_BYTES} bytes of UTF-8.` },
    engine: option(engine, { default: 'placeholders' }),
    data: option(AnyObject, {
      expected: 'an object',
      description: 'The values that the template inserts.',
      default: {},
      examples: [{ customer: { name: 'Ada' } }],
    }),
    template_id: option(Type.String(), {
      expected: TEMPLATE_ID,
      description: 'The template, or the version, that the text is a change of. Its files and the schema of its data are used.',
      'x-default': 'none',
      examples: ['tpl_4Kq8cPzXnT2vR6mJ9bYwLs'],
    }),
    assets: Type.Optional(AssetChangesSchema),
    options: Type.Optional(PdfOptions),
  },
  { additionalProperties: false, $id: 'TemplatePreview', expected: 'a JSON object' },
);
const checkBody = validator(PreviewBody, equivalentOption);

export function previewRoutes(app: FastifyInstance, { preview, blobs, ...services }: RouteServices): void {
  const limits = playgroundLimits(services.limits);
  const route = { schema: SCHEMA, bodyLimit: MAX_PLAYGROUND_BODY_BYTES };
  app.post('/v1/templates/preview', route, async (request, reply) => {
    if (!preview) throw new ServiceError('not_found', 'this service renders nothing without a charge');
    readQuery(request, {});
    const principal = requirePrincipal(request);
    const parsed = parsePreview(takeBody(request), withoutLongTimes(principal.options, limits), limits);
    requireAcceptable(request, PDF, JSON_TYPE);
    const usage = requestUsage(request);
    const pdf = await preview(parsed, principal, disconnectSignal(reply), memoryOfRender(usage));
    return sendUncharged(request, reply, pdf, await spoolPdf(pdf, usage, blobs));
  });
}

/** Throws `invalid_request`, with errors of the options only if there are no others, or `content_too_large`. */
function parsePreview(body: unknown, defaults: DefaultOptions, limits: RenderLimits): PreviewRequest {
  const {
    html,
    engine = 'placeholders',
    data,
    template_id: templateId,
    assets = {},
    options = {},
  } = checkBody(withDefaultOptions(body, defaults, 'pdf'));
  const errors = new ValidationErrors();
  errors.addAll(textErrors('html', html));
  const from = templateId === undefined ? undefined : parseTemplateId(templateId, errors);
  const values = parseData(data, errors);
  if (options.signature) errors.add('options.signature', 'cannot be previewed: render the stored template');
  errors.throwIfAny();
  checkSize('html', html, MAX_PLAYGROUND_HTML_BYTES);
  const { added, removed } = splitAssetChanges(assets);
  const rendering = parseRenderRequest({ html: '', options, ...(Object.keys(added).length && { assets: added }) }, limits);
  return { ...rendering, template: { from, html, engine, removed: new Set(removed) }, data: values };
}

const SCHEMA = {
  operationId: 'previewTemplate',
  summary: 'Preview a template that is being written',
  description:
    'Renders a text that is not saved, as the template will be rendered: with its files, and with the default options and files of the account. Neither charged nor stored. The time of rendering is limited for each account as for a visitor of the playground (`GET /v1/playground`); 404 if the playground is switched off.',
  body: withExample(PreviewBody, { html: '<h1>Hello {{name}}</h1>', data: { name: 'Ada' } }),
  response: { 200: UNCHARGED },
  errors: [404, 406, 422, 504],
};
