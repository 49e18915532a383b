/** `/v1/usage` and `/v1/account`: what the caller's account has used and how it is set. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Account, Principal } from '../../accounts/accounts.ts';
import type { Plan } from '../../accounts/plans.ts';
import type { UsageSum, UsageSums } from '../../accounts/usage-sums.ts';
import { ServiceError } from '../../errors.ts';
import { type DefaultOptions, parseDefaultOptions } from '../../render/request/default-options.ts';
import type { RenderLimits } from '../../render/request/render-request.ts';
import { option } from '../../render/request/schemas/option.ts';
import { PdfOptions } from '../../render/request/schemas/options-schema.ts';
import { AssetsSchema, parseAssets } from '../../render/request/values/assets.ts';
import { ValidationErrors } from '../../render/request/values/validation-errors.ts';
import type { AccountAssets } from '../../templates/account-assets.ts';
import type { AssetFiles } from '../../templates/assets.ts';
import type { TemplateOwner } from '../../templates/template.ts';
import { validator } from '../../validate.ts';
import { parseWebhookUrl, WEBHOOK_URL_EXPECTED } from '../../webhooks/webhook-url.ts';
import { IF_MATCH_SCHEMA, readTags } from '../replies/if-match.ts';
import { toIsoTime } from '../replies/records.ts';
import { header, recordSchema, TIME } from '../replies/response-schema.ts';
import { readMonth, readQuery } from '../requests/listing.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import type { RouteServices } from './services.ts';
import { ASSET_SCHEMA, assetRecord } from './templates/template-assets.ts';

const DEFAULT_OPTIONS = {
  $id: 'DefaultOptions',
  anyOf: [PdfOptions, { type: 'null' }],
  description:
    'Options for all renders of the account whose requests leave them out; those that an image does not have are left out there. A request switches one off with `null`. Options that are secret or belong to one document cannot be defaults. `null` for none.',
};
const PatchBody = Type.Object(
  {
    auto_store: option(Type.Boolean(), {
      expected: 'true or false',
      description: 'Whether every render without `store: false` is stored. The reply is the result in either case.',
      'x-default': 'unchanged; false for a new account',
      examples: [true],
    }),
    failure_pictures: option(Type.Boolean(), {
      expected: 'true or false',
      description:
        'Whether a picture of the page is kept when a render fails, with its entry of the request log and no longer than documents. Others who may use the key then see what the page showed.',
      'x-default': 'unchanged; false for a new account',
      examples: [true],
    }),
    document_expired_webhook_url: option(Type.Union([Type.String(), Type.Null()]), {
      expected: `${WEBHOOK_URL_EXPECTED}, or null`,
      description:
        'URL that receives a signed `document.expired` event for every document of the account that expires; `null` for none.',
      'x-default': 'unchanged; null for a new account',
      examples: ['https://example.com/hooks/platen'],
    }),
    options: option(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]), {
      ...DEFAULT_OPTIONS,
      expected: 'an object of options, or null',
      'x-default': 'unchanged; null for a new account',
      examples: [{ format: 'Letter' }],
    }),
    assets: option(Type.Union([AssetsSchema, Type.Null()]), {
      $id: 'AccountAssets',
      expected: 'an object of paths and files {content, type}, or null',
      description:
        'Fonts, logos and style sheets that relative URLs in all documents of the account resolve to. They replace all files sent before; `null` removes them. Files of a template or a request with the same path come first.',
      'x-default': 'unchanged; none for a new account',
      examples: [{ 'logo.svg': { content: 'PHN2Zy8+' } }],
    }),
  },
  { additionalProperties: false, $id: 'AccountChange', expected: 'a JSON object' },
);
const checkPatch = validator(PatchBody);

export function accountRoutes(app: FastifyInstance, services: RouteServices): void {
  const { accounts, requireWebhook, limits } = services;
  app.get('/v1/usage', { schema: USAGE }, async (request) => {
    const { month } = readQuery(request, { month: readMonth });
    const principal = requirePrincipal(request);
    return readUsage(services, principal, month, principal);
  });

  app.get('/v1/account', { schema: READ }, async (request, reply) => sendAccount(request, reply, services));

  app.patch('/v1/account', { schema: CHANGE }, async (request, reply) => {
    const { auto_store: autoStore, failure_pictures: failurePictures, ...rest } = checkPatch(request.body);
    const { document_expired_webhook_url: expiredUrl, ...defaults } = rest;
    const url = typeof expiredUrl === 'string' ? parseWebhookUrl(expiredUrl, 'document_expired_webhook_url') : expiredUrl;
    const principal = requirePrincipal(request);
    const { accountId, plan, keyId } = principal;
    const requireUnchanged = await unchangedCheck(request, services);
    requireWebhook(principal, url ?? undefined, 'document_expired_webhook_url');
    requireStorage(plan, { auto_store: autoStore, failure_pictures: failurePictures });
    const { options, assets } = parseDefaults(defaults, limits);
    if (assets) await replaceAssets(services, principal, assets);
    if ([autoStore, failurePictures, url, options].some((each) => each !== undefined)) {
      const change = { autoStore, failurePictures, documentExpiredUrl: url, options };
      await accounts.update(accountId, change, keyId, requireUnchanged);
    }
    return sendAccount(request, reply, services);
  });
}

/** Throws `storage_unavailable` if a member is to be true, and the plan stores nothing. */
function requireStorage(plan: Principal['plan'], wanted: Record<string, boolean | undefined>): void {
  const name = Object.keys(wanted).find((each) => wanted[each]);
  if (name !== undefined && plan.retentionMs === 0)
    throw new ServiceError('storage_unavailable', `the plan ${plan.name} does not store documents, so ${name} cannot be true`);
}

/**
 * The usage of an account in a month. Without a plan, that of the present month has no limits either. `reader` is undefined for an
 * administrator, who sees the names of keys, and not those of templates.
 */
export async function readUsage(
  services: RouteServices,
  { accountId, plan, assetBytes = 0 }: { accountId: string; plan: Plan | undefined; assetBytes?: number },
  month: number | undefined,
  reader?: TemplateOwner,
) {
  const { allowance, documents } = services;
  const { period: of, isCurrent, used, daily } = await allowance.usage(accountId, month);
  const period = { start: toIsoTime(of.start), end: toIsoTime(of.end) };
  const sums = await toSumRecords(await allowance.sums(accountId, of.start), services, reader);
  if (!isCurrent || !plan) return { period, documents: { used }, daily, ...sums };
  const limit = plan.documents;
  const stored = await documents.readStorage(accountId);
  return {
    ...{ plan: plan.name, period },
    documents: { limit, used, remaining: limit === null ? null : Math.max(0, limit - used) },
    storage: { ...stored, bytes: stored.bytes + assetBytes, limit: plan.storageBytes },
    daily,
    ...sums,
  };
}

async function toSumRecords(
  { months, keys, templates }: UsageSums,
  services: Pick<RouteServices, 'accounts' | 'templates'>,
  reader: TemplateOwner | undefined,
) {
  const idsOf = (sums: UsageSum[]) => sums.flatMap(({ id }) => id ?? []);
  const keyNames = await services.accounts.keys.names(reader?.keyId, idsOf(keys));
  const templateNames = reader ? await services.templates.names(reader, idsOf(templates)) : new Map<string, string>();
  const nameIn = (names: Map<string, string>, id: string | null) => {
    const name = id === null ? undefined : names.get(id);
    return name === undefined ? {} : { name };
  };
  return {
    monthly: months,
    by_key: keys.map(({ id, ...sum }) => ({ key_id: id, ...nameIn(keyNames, id), ...sum })),
    by_template: templates.map(({ id, ...sum }) => ({ template_id: id, ...nameIn(templateNames, id), ...sum })),
  };
}

async function replaceAssets(
  { accountAssets, documents }: RouteServices,
  principal: Principal,
  assets: AssetFiles,
): Promise<void> {
  const { accountId, assetBytes = 0 } = principal;
  const bytes = [...assets.values()].reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > assetBytes) await documents.requireRoom(principal, bytes - assetBytes);
  await accountAssets.replace(accountId, assets);
}

/** Undefined members are not changed. Throws `invalid_request` and `content_too_large`. */
function parseDefaults(
  { options, assets }: Pick<Static<typeof PatchBody>, 'options' | 'assets'>,
  limits: RenderLimits,
): { options?: DefaultOptions | null | undefined; assets?: AssetFiles | undefined } {
  const parsed = options && parseDefaultOptions(options, limits);
  const errors = new ValidationErrors();
  const files = parseAssets(assets ?? undefined, [], limits, errors);
  errors.throwIfAny();
  return {
    options: parsed && Object.keys(parsed).length ? parsed : options && null,
    assets: assets === undefined ? undefined : (files ?? new Map()),
  };
}

/** Returns a check that throws `version_conflict` for an account that differs from the one that the client has read. Throws it at once, too. */
async function unchangedCheck(
  request: FastifyRequest,
  services: RouteServices,
): Promise<((account: Account) => void) | undefined> {
  const tags = readTags(request);
  if (!tags) return undefined;
  const { account, assets } = await readAccount(request, services);
  const requireUnchanged = (now: Account) => {
    if (!tags.includes(tagOf(accountRecord(now, assets))))
      throw new ServiceError('version_conflict', 'the account has changed since you read it');
  };
  requireUnchanged(account);
  return requireUnchanged;
}

async function sendAccount(request: FastifyRequest, reply: FastifyReply, services: RouteServices) {
  const { account, assets } = await readAccount(request, services);
  const record = accountRecord(account, assets);
  reply.header('etag', `"${tagOf(record)}"`);
  return record;
}

function tagOf(record: ReturnType<typeof accountRecord>): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('base64url');
}

async function readAccount(request: FastifyRequest, { accounts, accountAssets }: RouteServices) {
  const { accountId } = requirePrincipal(request);
  return { account: await accounts.account(accountId), assets: await accountAssets.list(accountId) };
}

function accountRecord(account: Account, assets: Awaited<ReturnType<AccountAssets['list']>>) {
  return {
    account_id: account.id,
    name: account.name,
    plan: account.plan,
    auto_store: account.autoStore,
    failure_pictures: account.failurePictures,
    document_expired_webhook_url: account.documentExpiredUrl,
    options: account.options,
    assets: assets.map(assetRecord),
    created_at: toIsoTime(account.createdAt),
  };
}

const COUNT = { type: 'integer' };
const COUNT_OR_NULL = { type: ['integer', 'null'], description: '`null` if there is no limit.' };
const TEXT_OR_NULL = { type: ['string', 'null'] };
const USAGE_SUM = recordSchema(
  'UsageSum',
  {
    month: { type: 'string' },
    key_id: TEXT_OR_NULL,
    template_id: TEXT_OR_NULL,
    name: { type: 'string', description: 'Absent if this key may not read it.' },
    ...{ documents: COUNT, pages: COUNT, bytes: COUNT },
  },
  ['month', 'key_id', 'template_id', 'name'],
);
const ACCOUNT_SCHEMA = recordSchema('Account', {
  account_id: { type: 'string' },
  name: { type: 'string' },
  plan: { type: 'string' },
  auto_store: { type: 'boolean' },
  failure_pictures: { type: 'boolean' },
  document_expired_webhook_url: { type: ['string', 'null'], format: 'uri' },
  options: DEFAULT_OPTIONS,
  assets: { type: 'array', items: ASSET_SCHEMA, description: 'By path.' },
  created_at: TIME,
});

export const USAGE = {
  operationId: 'readUsage',
  summary: 'Read the usage of a month',
  querystring: {
    type: 'object',
    properties: {
      month: {
        $id: 'MonthParam',
        type: 'string',
        pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$',
        description: 'The calendar month (UTC). A past month has no `plan`, `storage` or limits.',
        'x-default': 'this month',
        examples: ['2026-10'],
      },
    },
  },
  response: {
    200: {
      description: 'Usage in that month by all keys of the account. `used` includes running renders until they fail.',
      ...recordSchema(
        'Usage',
        {
          plan: { type: 'string' },
          period: recordSchema('Period', { start: TIME, end: TIME }),
          documents: recordSchema('Allowance', { limit: COUNT_OR_NULL, used: COUNT, remaining: COUNT_OR_NULL }, [
            'limit',
            'remaining',
          ]),
          storage: recordSchema('StorageUse', {
            documents: COUNT,
            bytes: COUNT,
            limit: { ...COUNT_OR_NULL, description: 'Bytes. `null` if there is no limit.' },
          }),
          daily: {
            type: 'array',
            description: 'Every day of the month, up to today.',
            items: recordSchema('DailyUse', { date: { type: 'string', format: 'date' }, documents: COUNT }),
          },
          monthly: { type: 'array', description: 'The months of a year, up to this one, that have documents.', items: USAGE_SUM },
          by_key: { type: 'array', description: 'At most 100, largest first, like `by_template`.', items: USAGE_SUM },
          by_template: { type: 'array', items: USAGE_SUM },
        },
        ['plan', 'storage'],
      ),
    },
  },
};

const ETAG = { ETag: header('string', 'The state of the account, for If-Match.') };

const READ = {
  operationId: 'readAccount',
  summary: 'Read the account',
  response: { 200: { description: 'The account of this key.', headers: ETAG, ...ACCOUNT_SCHEMA } },
};

const CHANGE = {
  operationId: 'changeAccount',
  summary: 'Change the account',
  headers: { type: 'object', properties: IF_MATCH_SCHEMA },
  body: PatchBody,
  response: { 200: { description: 'The changed account.', headers: ETAG, ...ACCOUNT_SCHEMA } },
  errors: [412, 413, 422],
};
