/** `/v1/templates`: templates are kept per key, and filled by `POST /v1/pdf`. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { invalidField, UNKNOWN_FIELD } from '../../../errors.ts';
import { checkDocumentSize, type RenderLimits } from '../../../render/request/render-request.ts';
import { oneOf, option } from '../../../render/request/schemas/option.ts';
import { AssetChangesSchema, AssetsSchema, parseAssetChanges, parseAssets } from '../../../render/request/values/assets.ts';
import { type Metadata, MetadataSchema, parseMetadata } from '../../../render/request/values/metadata.ts';
import { ValidationErrors } from '../../../render/request/values/validation-errors.ts';
import type { StoredTemplates } from '../../../templates/stored-templates.ts';
import { type TemplateOwner, type TemplateWithHtml, VISIBILITIES } from '../../../templates/template.ts';
import { makesNewVersion, type TemplateDraft, type TemplatePatch } from '../../../templates/template-changes.ts';
import { PAST_VERSIONS } from '../../../templates/versions.ts';
import { isMembers, textErrors, validator } from '../../../validate.ts';
import { IF_MATCH_SCHEMA, readIfMatch, setVersionTag, VERSION_ETAG } from '../../replies/if-match.ts';
import {
  FILTER_PARAMETERS,
  NAME_PARAMETER,
  PAGE_PARAMETERS,
  TEMPLATE_SCHEMA,
  templateRecord,
  VERSION_SCHEMA,
  versionRecord,
} from '../../replies/records.ts';
import { type ById, listSchema, pathId, recordSchema, withExample } from '../../replies/response-schema.ts';
import { createOnce, IDEMPOTENCY_SCHEMA } from '../../requests/idempotent.ts';
import { parseJson } from '../../requests/json-body.ts';
import { readBoolean, readFilteredPage, readPage, readText, toList, toPage } from '../../requests/listing.ts';
import { memoryOfBody } from '../../requests/read-body.ts';
import { requestMemory, takeBody } from '../../requests/request-memory.ts';
import { decodeText, parseBody, readParts, SourceBody, toUploadedFile } from '../../requests/source-bodies.ts';
import { requirePrincipal } from '../../server/authenticate.ts';
import { RATE_LIMITED } from '../../server/rate-limit.ts';
import type { RouteServices } from '../services.ts';
import { DataSchema, parseDataSchema, SCHEMA_RECORD } from './data-schema.ts';
import { parseSamples, SamplePatchSchema, SamplesSchema } from './samples.ts';
import { engine, html } from './template-fields.ts';

interface ByVersion {
  Params: { id: string; version: string };
}

const name = {
  ...Type.String({ minLength: 1, maxLength: 200 }),
  expected: 'a string of 1 to 200 characters',
  description: 'A name by which people recognize the template.',
  examples: ['invoice'],
};
const visibility = {
  ...oneOf(VISIBILITIES),
  description:
    '`account` lets all keys of the account read and render the template and its versions. Only the key that created it changes or deletes it.',
};

const ASSETS = 'Files that relative URLs in the template resolve to, by their paths.';
const CLOSED = { additionalProperties: false, expected: 'a JSON object' };
/** The fields of a form. */
const FIELDS = new Set(['name', 'html', 'engine']);
const KEPT = { 'x-default': 'as before' };
const CreateBody = Type.Object(
  {
    ...{ name, html },
    engine: option(engine, { default: 'placeholders' }),
    metadata: option(MetadataSchema, { 'x-default': 'none' }),
    visibility: option(visibility, { default: 'key' }),
    assets: option(AssetsSchema, { $id: 'TemplateAssets', description: ASSETS }),
    schema: option(DataSchema, { 'x-default': 'none' }),
    samples: option(SamplesSchema, { 'x-default': 'none' }),
  },
  { ...CLOSED, $id: 'NewTemplate' },
);
const ReplaceBody = Type.Object(
  {
    html,
    name: option(name, KEPT),
    engine: option(engine, KEPT),
    metadata: option(MetadataSchema, KEPT),
    visibility: option(visibility, KEPT),
    assets: option(AssetsSchema, {
      $id: 'TemplateAssets',
      description: 'Replace all files of the template. Default: the files stay.',
    }),
    schema: option(DataSchema, KEPT),
    samples: option(SamplesSchema, KEPT),
  },
  { ...CLOSED, $id: 'TemplateChange' },
);
const PatchBody = Type.Object(
  {
    name: option(name, KEPT),
    html: option(html, KEPT),
    engine: option(engine, { 'x-default': 'as before; sent only with html' }),
    metadata: option(MetadataSchema, KEPT),
    visibility: option(visibility, KEPT),
    assets: option(AssetChangesSchema, KEPT),
    schema: option(DataSchema, KEPT),
    samples: option(SamplePatchSchema, KEPT),
    published_version: option(Type.Union([Type.Integer({ minimum: 1, maximum: 999_999_999 }), Type.Null()]), {
      ...KEPT,
      expected: 'the number of a version, or null',
      description: 'The version that `@published` stands for, which is kept; `null` for none. Makes no new version.',
      examples: [7],
    }),
  },
  { ...CLOSED, $id: 'TemplatePatch' },
);
const checkPatch = validator(PatchBody);
const checkCreate = validator(CreateBody);
const checkReplace = validator(ReplaceBody);

export async function templateRoutes(app: FastifyInstance, services: RouteServices): Promise<void> {
  const { templates, templateChanges, limits } = services;
  await app.register(async (scope) => {
    readForms(scope, limits);
    writingRoutes(scope, services);
  });

  app.get('/v1/templates', { schema: LIST }, async (request) => {
    const { page, filter } = readFilteredPage(request, { owned: readBoolean, name: readText });
    const reader = requirePrincipal(request);
    return toList(await templates.list(reader, page.limit, filter, page.after), (template) => templateRecord(template, reader));
  });

  app.get<ById>('/v1/templates/:id', { schema: READ }, async (request, reply) => {
    const reader = requirePrincipal(request);
    const template = await templates.find(reader, request.params.id);
    setVersionTag(reply, template);
    return wholeRecord(template, templates, reader);
  });

  app.get<ById>('/v1/templates/:id/versions', { schema: VERSIONS }, async (request) => {
    const { page } = readPage(request);
    const versions = await templates.versions(requirePrincipal(request), request.params.id);
    const following = versions.filter(({ version }) => !page.after || version < Number(page.after.id));
    // The number of a version is its position in the list.
    const rows = following.map((each) => ({ ...each, id: String(each.version), createdAt: each.updatedAt }));
    return toPage(rows, page, versionRecord);
  });

  app.get<ByVersion>('/v1/templates/:id/versions/:version', { schema: READ_VERSION }, async (request) => {
    const { id, version } = request.params;
    const reader = requirePrincipal(request);
    return wholeRecord(await templates.version(reader, id, Number(version)), templates, reader);
  });

  app.patch<ById>('/v1/templates/:id', { schema: UPDATE, config: RATE_LIMITED }, async (request, reply) => {
    const change = readPatch(takeBody(request), limits);
    const owner = requirePrincipal(request);
    const template = await templateChanges.update(owner, request.params.id, change, readIfMatch(request));
    setVersionTag(reply, template);
    return templateRecord(template, owner);
  });

  app.delete<ById>('/v1/templates/:id', { schema: REMOVE, config: { bodyOptional: true } }, async (request, reply) => {
    await templateChanges.remove(requirePrincipal(request), request.params.id, readIfMatch(request));
    return reply.code(204).send();
  });
}

async function wholeRecord(template: TemplateWithHtml, templates: StoredTemplates, reader: TemplateOwner) {
  const { html, schema } = template;
  const samples = [...(await templates.samples(template))].map(([name, json]) => [name, JSON.parse(json)]);
  const parsed: unknown = schema === null ? null : JSON.parse(schema);
  return { ...templateRecord(template, reader), html, schema: parsed, samples: Object.fromEntries(samples) };
}

function writingRoutes(app: FastifyInstance, { templateChanges, idempotency, limits }: RouteServices): void {
  app.post('/v1/templates', { schema: CREATE, config: RATE_LIMITED }, async (request, reply) => {
    const { metadata = {}, engine = 'placeholders', ...rest } = readDraft(request, checkCreate, limits);
    const owner = requirePrincipal(request);
    const create = async (also: Parameters<typeof templateChanges.create>[2]) => {
      const template = await templateChanges.create(owner, { ...rest, metadata, engine }, also);
      setVersionTag(reply, template);
      return template;
    };
    return createOnce(request, reply, idempotency, create, (template) => templateRecord(template, owner));
  });

  app.put<ById>('/v1/templates/:id', { schema: REPLACE, config: RATE_LIMITED }, async (request, reply) => {
    const draft = readDraft(request, checkReplace, limits);
    const owner = requirePrincipal(request);
    const template = await templateChanges.replace(owner, request.params.id, draft, readIfMatch(request));
    setVersionTag(reply, template);
    return templateRecord(template, owner);
  });
}

/** Throws `invalid_request` and `content_too_large`. */
function readPatch(body: unknown, limits: RenderLimits): TemplatePatch {
  const { published_version: publishedVersion, schema, samples: given, assets, ...others } = checkPatch(body);
  const errors = new ValidationErrors();
  const files = parseAssetChanges(assets, limits, errors);
  const change = { ...others, assets: files, schema: parseDataSchema(schema, errors) };
  const { name = '', html = '', engine } = change;
  const makesVersion = makesNewVersion(change);
  if (engine && change.html === undefined) errors.add('engine', 'must be sent with html, which it reads');
  else if (!makesVersion && !given && publishedVersion === undefined) errors.add('', `must have ${CHANGES} or published_version`);
  if (makesVersion && publishedVersion !== undefined)
    errors.add('published_version', 'can be combined only with samples, because all else makes a new version');
  errors.addAll([...textErrors('name', name), ...textErrors('html', html)]);
  parseMetadata(change.metadata, errors);
  const samples = parseSamples(given, errors);
  errors.throwIfAny();
  checkDocumentSize('html', html);
  return { ...change, publishedVersion, samples };
}

const CHANGES = 'name, html, metadata, visibility, assets, schema, samples';

/** Reads a form: `request` with the JSON body, or `name`, `html` and `engine`; and `files`, whose filenames are paths. */
function readForms(app: FastifyInstance, { maxAssets = 0 }: RenderLimits): void {
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    const parts = await readParts(request, maxAssets + FIELDS.size + 1);
    const given = parts.find(({ name }) => name === 'request');
    const fields = parts.filter((part) => part.name !== 'files' && part !== given);
    const unknown = fields.find(({ name }) => !FIELDS.has(name));
    if (unknown) throw invalidField(unknown.name, UNKNOWN_FIELD);
    const held = parts.reduce((sum, { content }) => sum + content.length, 0);
    const members = given && parseJson(given.content, (values) => requestMemory(request).atLeast(memoryOfBody(held, values)));
    const texts = Object.fromEntries(fields.map(({ name, filename, content }) => [name, decodeText(name, content, filename)]));
    const files = parts.filter(({ name }) => name === 'files').map(toUploadedFile);
    const body = given ? members : {};
    return new SourceBody(isMembers(body) ? Object.assign(body, texts) : body, { files, isOfParameters: false });
  });
}

interface GivenDraft {
  html: string;
  name?: string;
  metadata?: Metadata;
  assets?: Static<typeof AssetsSchema>;
  schema?: unknown;
  samples?: Record<string, unknown>;
}

/** Throws `invalid_request` and `content_too_large`. */
function readDraft<D extends GivenDraft>(
  request: FastifyRequest,
  check: (body: unknown) => D,
  limits: RenderLimits,
): Omit<D, 'assets' | 'schema' | 'samples'> & Pick<TemplateDraft, 'assets' | 'schema' | 'samples'> {
  return parseBody(takeBody(request), limits, (members, _limits, files = []) => {
    const { assets: given, schema: sentSchema, samples: sent, ...draft } = check(members);
    const errors = new ValidationErrors();
    errors.addAll([...textErrors('name', draft.name ?? ''), ...textErrors('html', draft.html)]);
    parseMetadata(draft.metadata, errors);
    const assets = parseAssets(given, files, limits, errors) ?? (given && new Map());
    const samples = parseSamples(sent, errors);
    const schema = parseDataSchema(sentSchema, errors);
    errors.throwIfAny();
    checkDocumentSize('html', draft.html);
    return { ...draft, ...(assets && { assets }), ...(schema !== undefined && { schema }), samples };
  });
}

const ID = pathId('Template', 'tpl');
const WITH_HTML = recordSchema(
  'TemplateWithHtml',
  {
    ...TEMPLATE_SCHEMA.properties,
    html: { type: 'string' },
    schema: SCHEMA_RECORD,
    samples: SamplesSchema,
  },
  ['warnings'],
);

const CREATE = {
  operationId: 'createTemplate',
  summary: 'Store a template',
  headers: IDEMPOTENCY_SCHEMA,
  body: withExample(CreateBody, { name: 'greeting', html: '<h1>Hello {{name}}</h1>' }),
  response: { 201: { description: 'The template is stored.', headers: VERSION_ETAG, ...TEMPLATE_SCHEMA } },
  errors: [409, 422],
};

const LIST = {
  operationId: 'listTemplates',
  summary: 'List templates',
  querystring: {
    type: 'object',
    properties: {
      ...FILTER_PARAMETERS,
      name: NAME_PARAMETER,
      owned: {
        type: 'boolean',
        description: '`true` for the templates of this key only, `false` for those that other keys share. Default: both.',
        examples: [true],
      },
    },
  },
  response: { 200: { description: 'One page of the templates that this key may read.', ...listSchema(TEMPLATE_SCHEMA) } },
};

const READ = {
  operationId: 'readTemplate',
  summary: 'Read a template with its HTML',
  params: ID,
  response: { 200: { description: 'The template.', headers: VERSION_ETAG, ...WITH_HTML } },
  errors: [429],
};

const VERSIONS = {
  operationId: 'listTemplateVersions',
  summary: 'List the versions of a template',
  description: `The current version and up to ${PAST_VERSIONS} earlier ones. All old versions of a key together may be as large as its templates may be.`,
  params: ID,
  querystring: { type: 'object', properties: PAGE_PARAMETERS },
  response: { 200: { description: 'One page of the versions.', ...listSchema(VERSION_SCHEMA) } },
};

const READ_VERSION = {
  operationId: 'readTemplateVersion',
  summary: 'Read a version of a template with its HTML',
  params: pathId('Template', 'tpl', { version: { type: 'integer', minimum: 1, examples: [1] } }),
  response: { 200: { description: 'That version of the template.', ...WITH_HTML } },
  errors: [429],
};

const REPLACE = {
  operationId: 'replaceTemplate',
  summary: 'Replace a template',
  description:
    'The next render uses the new version. `name`, `engine`, `metadata` and `visibility` keep their values if they are not sent.',
  params: ID,
  headers: { type: 'object', properties: IF_MATCH_SCHEMA },
  body: withExample(ReplaceBody, { html: '<h1>Good day {{name}}</h1>' }),
  response: { 200: { description: 'The new version.', headers: VERSION_ETAG, ...TEMPLATE_SCHEMA } },
  errors: [412, 422],
};

const UPDATE = {
  operationId: 'updateTemplate',
  summary: 'Change parts of a template',
  description:
    'What is not sent stays. All changes together make one new version; `samples` and `published_version` alone make none.',
  params: ID,
  headers: { type: 'object', properties: IF_MATCH_SCHEMA },
  body: withExample(PatchBody, { name: 'Greeting' }),
  response: { 200: { description: 'The template.', headers: VERSION_ETAG, ...TEMPLATE_SCHEMA } },
  errors: [412, 422],
};

const REMOVE = {
  operationId: 'deleteTemplate',
  summary: 'Delete a template',
  params: ID,
  headers: { type: 'object', properties: IF_MATCH_SCHEMA },
  response: { 204: { description: 'The template was deleted.', type: 'null' } },
  errors: [400, 412],
};
