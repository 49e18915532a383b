/** `/v1/templates/{id}/assets`: the files beside a template. Each change is a new version of the template. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalidField } from '../../../errors.ts';
import type { RenderLimits } from '../../../render/request/render-request.ts';
import { parseAssets } from '../../../render/request/values/assets.ts';
import { ValidationErrors } from '../../../render/request/values/validation-errors.ts';
import type { AssetFile, TemplateAsset } from '../../../templates/assets.ts';
import type { TemplateRef } from '../../../templates/template.ts';
import type { TemplateChanges } from '../../../templates/template-changes.ts';
import { IF_MATCH_SCHEMA, readIfMatch, setVersionTag, VERSION_ETAG } from '../../replies/if-match.ts';
import { TEMPLATE_SCHEMA, templateRecord } from '../../replies/records.ts';
import { type ById, binary, pathId, recordSchema } from '../../replies/response-schema.ts';
import { readPositive, readQuery } from '../../requests/listing.ts';
import { readBody } from '../../requests/read-body.ts';
import { requirePrincipal } from '../../server/authenticate.ts';
import { RATE_LIMITED } from '../../server/rate-limit.ts';
import type { RouteServices } from '../services.ts';

interface ByPath {
  Params: { id: string; '*': string };
}

/** Prevents browsers from running uploaded files as documents of this origin. */
const CSP = "default-src 'none'; sandbox";

export async function templateAssetRoutes(
  app: FastifyInstance,
  { templates, templateChanges, limits }: RouteServices,
): Promise<void> {
  app.get<ById>('/v1/templates/:id/assets', { schema: LIST }, async (request) => ({
    data: (await templates.assets(requirePrincipal(request), readRef(request, request.params.id))).map(assetRecord),
  }));

  app.get<ByPath>('/v1/templates/:id/assets/*', { schema: READ }, async (request, reply) => {
    const { id, '*': path } = request.params;
    const { type, bytes, content } = await templates.asset(requirePrincipal(request), readRef(request, id), path);
    reply.type(type).header('content-length', bytes);
    return reply.header('content-security-policy', CSP).header('content-disposition', 'attachment').send(content);
  });

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request: FastifyRequest) => readBody(request, limits.maxAssetsBytes));
    scope.put<ByPath>('/v1/templates/:id/assets/*', { schema: REPLACE, config: RATE_LIMITED }, async (request, reply) => {
      const { id, '*': given } = request.params;
      return change(templateChanges, request, reply, id, toAssetFile(given, request, limits));
    });
  });

  const config = { ...RATE_LIMITED, bodyOptional: true };
  app.delete<ByPath>('/v1/templates/:id/assets/*', { schema: REMOVE, config }, async (request, reply) => {
    const { id, '*': path } = request.params;
    return change(templateChanges, request, reply, id, [path, undefined]);
  });
}

async function change(
  changes: TemplateChanges,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
  file: [path: string, file: AssetFile | undefined],
) {
  const owner = requirePrincipal(request);
  const template = await changes.changeAsset(owner, id, file, readIfMatch(request));
  setVersionTag(reply, template);
  return templateRecord(template, owner);
}

/** Throws `invalid_request`. */
function readRef(request: FastifyRequest, templateId: string): TemplateRef {
  return { templateId, version: readQuery(request, { version: readPositive }).version };
}

/** Throws `invalid_request` and `content_too_large`. */
function toAssetFile(path: string, { body, headers }: FastifyRequest, limits: RenderLimits) {
  const type = headers['content-type'];
  if (!Buffer.isBuffer(body) && type === undefined) throw invalidField('', 'the body must be the file');
  const content = Buffer.isBuffer(body) ? body : Buffer.alloc(0); // Fastify does not read an empty body
  const errors = new ValidationErrors();
  const files = parseAssets({}, [{ path, type, content }], limits, errors);
  errors.throwIfAny();
  const [file] = files ?? [];
  if (!file) throw new Error('one file must give one asset');
  return file;
}

export function assetRecord({ path, type, bytes }: TemplateAsset) {
  return { path, type, bytes };
}

const PATH = pathId('Template', 'tpl', { '*': { $id: 'AssetPathParam', type: 'string', examples: ['css/print.css'] } });
export const ASSET_SCHEMA = recordSchema('TemplateAsset', {
  path: { type: 'string', examples: ['css/print.css'] },
  type: { type: 'string', examples: ['text/css; charset=utf-8'] },
  bytes: { type: 'integer' },
});
const IF_MATCH = { type: 'object', properties: IF_MATCH_SCHEMA };
const NEW_VERSION = { 200: { description: 'The new version of the template.', headers: VERSION_ETAG, ...TEMPLATE_SCHEMA } };

const querystring = {
  type: 'object',
  properties: {
    version: { $id: 'VersionParam', type: 'integer', minimum: 1, 'x-default': 'the current version', examples: [1] },
  },
};

const LIST = {
  operationId: 'listTemplateAssets',
  summary: 'List the files beside a template',
  params: pathId('Template', 'tpl'),
  querystring,
  response: {
    200: {
      description: 'All files of the version, by path.',
      ...recordSchema('TemplateAssetList', { data: { type: 'array', items: ASSET_SCHEMA } }),
    },
  },
};

const READ = {
  operationId: 'readTemplateAsset',
  summary: 'Fetch a file of a template',
  params: PATH,
  querystring,
  response: { 200: { description: 'The file.', content: binary('*/*') } },
};

const REPLACE = {
  operationId: 'replaceTemplateAsset',
  summary: 'Add or replace a file of a template',
  description: 'The body is the file, and `Content-Type` its type. The next render uses the new version.',
  params: PATH,
  headers: IF_MATCH,
  body: { content: binary('application/octet-stream') },
  response: { ...NEW_VERSION },
  errors: [412, 422],
};

const REMOVE = {
  operationId: 'deleteTemplateAsset',
  summary: 'Remove a file from a template',
  description: 'Earlier versions keep it.',
  params: PATH,
  headers: IF_MATCH,
  response: { ...NEW_VERSION },
  errors: [400, 412, 422, 429],
};
