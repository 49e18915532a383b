/** `/v1/admin/accounts` and `/v1/admin/plans`: creates, changes, suspends and deletes accounts, and shows their usage. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ACCOUNT_STATES, type Account, accountState } from '../../../accounts/accounts.ts';
import type { Plan, Plans } from '../../../accounts/plans.ts';
import { type FieldError, invalidRequest, ServiceError } from '../../../errors.ts';
import { option } from '../../../render/request/schemas/option.ts';
import { textErrors, validator } from '../../../validate.ts';
import { NAME_PARAMETER, PAGE_PARAMETERS, toIsoTime } from '../../replies/records.ts';
import { type ById, idMembers, listSchema, pathId, recordSchema, TIME } from '../../replies/response-schema.ts';
import { readChoice, readMonth, readPage, readQuery, readText, toList } from '../../requests/listing.ts';
import { requirePrincipal } from '../../server/authenticate.ts';
import { requestOrigin } from '../../server/origin.ts';
import { RATE_LIMITED } from '../../server/rate-limit.ts';
import { readUsage, USAGE } from '../account.ts';
import type { RouteServices } from '../services.ts';

const FIELDS = {
  name: option(Type.String({ maxLength: 200 }), {
    expected: 'a string of at most 200 characters',
    description: 'A name to tell the account apart.',
    examples: ['ACME Ltd'],
  }),
  plan: option(Type.String(), { expected: 'the name of a plan', description: 'The plan.', examples: ['starter'] }),
};
const CreateBody = Type.Object(FIELDS, {
  $id: 'AdminAccountRequest',
  additionalProperties: false,
  expected: 'a JSON object',
  'x-optional': true,
});
const ChangeBody = Type.Object(
  {
    ...FIELDS,
    suspended: option(Type.Boolean(), {
      expected: 'true or false',
      description: 'Whether its keys and links are refused and its batches wait.',
      examples: [true],
    }),
  },
  { $id: 'AdminAccountChange', additionalProperties: false, expected: 'a JSON object' },
);
const checkCreate = validator(CreateBody);
const checkChange = validator(ChangeBody);

const FILTERS = { state: readChoice(ACCOUNT_STATES), name: readText };

export function adminAccountRoutes(app: FastifyInstance, services: RouteServices): void {
  const { accounts, plans } = services;

  app.get('/v1/admin/plans', { schema: PLANS }, async () => ({ data: plans.all.map(planRecord) }));

  app.get('/v1/admin/accounts', { schema: LIST }, async (request) => {
    const { page, filter } = readPage(request, FILTERS);
    return toList(await accounts.list(page.limit, filter, page.after), accountRecord);
  });

  app.post('/v1/admin/accounts', { schema: CREATE, config: { ...RATE_LIMITED, bodyOptional: true } }, async (request, reply) => {
    const { name = '', plan = plans.defaultName } = requireValid(checkCreate(request.body ?? {}), plans);
    const account = await accounts.createAccount(plan, name, requirePrincipal(request).keyId);
    reply.code(201).header('location', `${requestOrigin(request)}/v1/admin/accounts/${account.id}`);
    return reply.send(accountRecord(account));
  });

  app.get<ById>('/v1/admin/accounts/:id', { schema: READ }, async ({ params }) =>
    accountRecord(await accounts.account(params.id)),
  );

  app.patch<ById>('/v1/admin/accounts/:id', { schema: CHANGE, config: RATE_LIMITED }, async (request) => {
    const { id } = request.params;
    const { suspended: isSuspended, ...change } = requireValid(checkChange(request.body), plans);
    if (isSuspended) requireOther(request, id, 'suspended');
    await accounts.update(id, { ...change, ...(isSuspended !== undefined && { isSuspended }) }, requirePrincipal(request).keyId);
    return accountRecord(await accounts.account(id));
  });

  app.delete<ById>('/v1/admin/accounts/:id', { schema: DELETE, config: { bodyOptional: true } }, async (request, reply) => {
    const { id } = request.params;
    requireOther(request, id, 'deleted');
    await accounts.delete(id, requirePrincipal(request).keyId);
    return reply.code(204).send();
  });

  app.get<ById>('/v1/admin/accounts/:id/usage', { schema: USAGE_OF_ACCOUNT }, async (request) => {
    const { month } = readQuery(request, { month: readMonth });
    const { id: accountId, plan, assetBytes } = await accounts.account(request.params.id);
    return readUsage(services, { accountId, plan: plans.get(plan), assetBytes }, month);
  });
}

/** Throws `invalid_request`. */
function requireValid<T extends { name?: string; plan?: string }>(fields: T, plans: Plans): T {
  const errors: FieldError[] = textErrors('name', fields.name ?? '');
  if (fields.plan !== undefined && !plans.get(fields.plan))
    errors.push({ path: 'plan', message: `must be one of ${plans.names.join(', ')}` });
  if (errors.length) throw invalidRequest(errors);
  return fields;
}

/** An administrator who shuts out the own key could not undo it. Throws `invalid_request`. */
function requireOther(request: FastifyRequest, accountId: string, what: string): void {
  if (requirePrincipal(request).accountId !== accountId) return;
  const detail = `the account of the key that sends the request cannot be ${what} over the API; use \`platen accounts\``;
  throw new ServiceError('invalid_request', detail);
}

function accountRecord(account: Account) {
  const { id, name, plan, createdAt } = account;
  return { id, account_id: id, name, plan, state: accountState(account), created_at: toIsoTime(createdAt) };
}

function planRecord(plan: Plan) {
  return {
    name: plan.name,
    documents: plan.documents,
    retention_seconds: plan.retentionMs / 1_000,
    requests_per_minute: plan.requestsPerMinute,
    concurrency: plan.concurrency,
    open_items: plan.openItems,
    storage_bytes: plan.storageBytes,
  };
}

const TEXT = { type: 'string' };
const LIMIT = { type: ['integer', 'null'] };
const ID = pathId('Account', 'acc');
const STATE = { $id: 'AccountState', type: 'string', enum: [...ACCOUNT_STATES] };
const ACCOUNT_SCHEMA = recordSchema('AdminAccount', {
  ...idMembers('account_id', 'acc'),
  ...{ name: TEXT, plan: TEXT, state: STATE, created_at: TIME },
});
const PLAN_SCHEMA = recordSchema('Plan', {
  name: TEXT,
  ...{
    documents: { ...LIMIT, description: 'In a month. `null`, here and below: no limit.' },
    retention_seconds: { type: 'integer' },
  },
  ...{ requests_per_minute: LIMIT, concurrency: LIMIT, open_items: LIMIT, storage_bytes: LIMIT },
});

const PLANS = {
  operationId: 'adminListPlans',
  summary: 'List the plans of the service',
  response: {
    200: { description: 'All plans.', ...recordSchema('PlanList', { data: { type: 'array', items: PLAN_SCHEMA } }) },
  },
};

const LIST = {
  operationId: 'adminListAccounts',
  summary: 'List accounts',
  querystring: {
    type: 'object',
    properties: { ...PAGE_PARAMETERS, state: STATE, name: NAME_PARAMETER },
  },
  response: { 200: { description: 'One page of the accounts.', ...listSchema(ACCOUNT_SCHEMA) } },
};

const CREATE = {
  operationId: 'adminCreateAccount',
  summary: 'Create an account',
  description: 'Without `plan`, it gets the default plan of new accounts.',
  body: CreateBody,
  response: { 201: { description: 'The account.', ...ACCOUNT_SCHEMA } },
};

const READ = {
  operationId: 'adminReadAccount',
  summary: 'Read an account',
  params: ID,
  response: { 200: { description: 'The account.', ...ACCOUNT_SCHEMA } },
};

const CHANGE = {
  operationId: 'adminChangeAccount',
  summary: 'Rename, suspend or resume an account, or change its plan',
  params: ID,
  body: ChangeBody,
  response: { 200: { description: 'The changed account.', ...ACCOUNT_SCHEMA } },
};

const DELETE = {
  operationId: 'adminDeleteAccount',
  summary: 'Delete an account with all that its keys stored',
  params: ID,
  response: { 204: { description: 'The account was deleted.', type: 'null' } },
  errors: [400],
};

const USAGE_OF_ACCOUNT = { ...USAGE, operationId: 'adminReadUsage', summary: 'Read the usage of an account', params: ID };
