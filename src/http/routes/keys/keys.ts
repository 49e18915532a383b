/** `/v1/keys`: creates, lists, rotates and revokes keys of the caller's account. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ApiKey, IssuedKey } from '../../../accounts/keys.ts';
import { missingScopes, SCOPES, type Scope } from '../../../accounts/scopes.ts';
import { invalidRequest } from '../../../errors.ts';
import { oneOf, option } from '../../../render/request/schemas/option.ts';
import { textErrors, validator } from '../../../validate.ts';
import { PAGE_PARAMETERS, timeOrNull, toIsoTime } from '../../replies/records.ts';
import { type ById, idMembers, listSchema, pathId, recordSchema, TIME, TIME_OR_NULL } from '../../replies/response-schema.ts';
import { readPage, toList } from '../../requests/listing.ts';
import { requirePrincipal } from '../../server/authenticate.ts';
import { requestOrigin } from '../../server/origin.ts';
import { RATE_LIMITED } from '../../server/rate-limit.ts';
import { insufficientScope } from '../../server/required-scope.ts';
import type { RouteServices } from '../services.ts';

const DEFAULT_GRACE_SECONDS = 86_400;
const MAX_GRACE_SECONDS = 2_592_000;
/** Ten years. */
const MAX_EXPIRY_SECONDS = 315_360_000;

const CLOSED = { additionalProperties: false, expected: 'a JSON object' };
export const CreateBody = Type.Object(
  {
    name: option(Type.String({ maxLength: 200 }), {
      expected: 'a string of at most 200 characters',
      description: 'A name to recognize the key by.',
      default: '',
      examples: ['website'],
    }),
    scopes: option(Type.Array(oneOf(SCOPES), { minItems: 1, maxItems: SCOPES.length }), {
      expected: `a list of ${SCOPES.join(', ')}`,
      description:
        'What the key may do. `render` is for `/v1/pdf`, `/v1/image`, `/v1/renders` and `/v1/batches`, `account` also for `/v1/usage`.',
      'x-default': 'those of the key that makes it',
      examples: [['render']],
    }),
    test: option(Type.Boolean(), {
      expected: 'true or false',
      description:
        'Creates a test key (`plt_test_...`). Its results have a watermark, are not charged, and are kept for a day at most.',
      'x-default': 'as the key that makes it',
      examples: [true],
    }),
    expires_in: option(Type.Integer({ minimum: 1, maximum: MAX_EXPIRY_SECONDS }), {
      expected: `a whole number of seconds from 1 to ${MAX_EXPIRY_SECONDS}`,
      description: 'How long the key works. It cannot outlive the key that makes it.',
      'x-default': 'as long as the key that makes it',
      'x-unit': 's',
      examples: [2_592_000],
    }),
  },
  { ...CLOSED, $id: 'KeyRequest', 'x-optional': true },
);
const RotateBody = Type.Object(
  {
    expires_in: option(Type.Integer({ minimum: 0, maximum: MAX_GRACE_SECONDS }), {
      expected: `a whole number of seconds from 0 to ${MAX_GRACE_SECONDS}`,
      description: 'How long the old secret works. With 0, it stops working at once.',
      default: DEFAULT_GRACE_SECONDS,
      'x-unit': 's',
      examples: [3_600],
    }),
  },
  { ...CLOSED, $id: 'RotationRequest', 'x-optional': true },
);
const checkCreate = validator(CreateBody);
const checkRotate = validator(RotateBody);

const BODY_OPTIONAL = { bodyOptional: true };

export function keyRoutes(app: FastifyInstance, { accounts, logger }: RouteServices): void {
  const logKeyChange = (request: FastifyRequest, changed: string, what: string) => {
    const { accountId, keyId: by } = requirePrincipal(request);
    logger.info({ request_id: request.id, key_id: changed, account_id: accountId, by }, what);
  };

  app.post('/v1/keys', { schema: CREATE, config: { ...RATE_LIMITED, ...BODY_OPTIONAL } }, async (request, reply) => {
    const { keyId, accountId, scopes: own, isTest: isMadeByTest } = requirePrincipal(request);
    const { scopes: wanted, isTest = isMadeByTest, ...draft } = readKeyDraft(request.body);
    if (isMadeByTest && !isTest)
      throw invalidRequest([{ path: 'test', message: 'cannot be false: a test key makes test keys only' }]);
    const scopes = wanted ?? own;
    const [missing] = missingScopes(own, scopes);
    if (missing) throw insufficientScope(missing);
    const issued = await accounts.keys.create(accountId, { ...draft, scopes, isTest, madeBy: keyId });
    logKeyChange(request, issued.key.id, 'key created');
    reply.code(201).header('location', `${requestOrigin(request)}/v1/keys/${issued.key.id}`);
    return sendIssued(reply, issued);
  });

  app.get('/v1/keys', { schema: LIST }, async (request) => {
    const { page } = readPage(request);
    return toList(await accounts.keys.list(requirePrincipal(request).keyId, page.limit, page.after), keyRecord);
  });

  app.get<ById>('/v1/keys/:id', { schema: READ }, async (request) =>
    keyRecord(await accounts.keys.find(requirePrincipal(request).keyId, request.params.id)),
  );

  app.post<ById>(
    '/v1/keys/:id/rotate',
    { schema: ROTATE, config: { ...RATE_LIMITED, ...BODY_OPTIONAL } },
    async (request, reply) => {
      const { body = {} } = request;
      const { expires_in: seconds = DEFAULT_GRACE_SECONDS } = checkRotate(body);
      const issued = await accounts.keys.rotate(requirePrincipal(request).keyId, request.params.id, seconds * 1000);
      logKeyChange(request, issued.key.id, 'key rotated');
      return sendIssued(reply, issued);
    },
  );

  app.delete<ById>('/v1/keys/:id', { schema: REVOKE, config: BODY_OPTIONAL }, async (request, reply) => {
    await accounts.keys.revoke(requirePrincipal(request).keyId, request.params.id);
    logKeyChange(request, request.params.id, 'key revoked');
    return reply.code(204).send();
  });
}

/** What a request asks of a new key. Members that it leaves out are undefined. Throws `invalid_request`. */
export function readKeyDraft(body: unknown) {
  const { name = '', scopes, test: isTest, expires_in: seconds } = checkCreate(body ?? {});
  const errors = textErrors('name', name);
  if (errors.length) throw invalidRequest(errors);
  return { name, scopes: scopes && [...new Set(scopes as Scope[])], isTest, expiresInMs: seconds && seconds * 1_000 };
}

export function sendIssued(reply: FastifyReply, { secret, key }: IssuedKey): FastifyReply {
  return reply.send({ ...keyRecord(key), key: secret });
}

export function keyRecord(key: ApiKey) {
  return {
    id: key.id,
    key_id: key.id,
    name: key.name,
    hint: key.hint,
    scopes: key.scopes,
    test: key.isTest,
    administrator: key.isAdministrator,
    made_by: key.madeBy,
    created_at: toIsoTime(key.createdAt),
    expires_at: timeOrNull(key.expiresAt),
    last_used_at: timeOrNull(key.lastUsedAt),
    revoked_at: timeOrNull(key.revokedAt),
    previous_secret_expires_at: timeOrNull(key.previousValidUntil),
  };
}

const ID = pathId('Key', 'key');
export const KEY_SCHEMA = recordSchema(
  'ApiKey',
  {
    ...idMembers('key_id', 'key'),
    name: { type: 'string' },
    hint: { type: 'string', description: 'First characters of the secret.' },
    scopes: { type: ['array', 'null'], items: { type: 'string' }, description: 'What the key may do; `null` for everything.' },
    test: { type: 'boolean', description: 'Whether its renders have a watermark and are not charged.' },
    administrator: { type: 'boolean', description: 'Whether it may use `/v1/admin`.' },
    made_by: { type: ['string', 'null'], description: "The key it was made with; `null` for the operator's." },
    created_at: TIME,
    expires_at: { ...TIME_OR_NULL, description: 'When the key stops working.' },
    last_used_at: { ...TIME_OR_NULL, description: 'When the key was last used, to the minute.' },
    revoked_at: TIME_OR_NULL,
    previous_secret_expires_at: { ...TIME_OR_NULL, description: 'Until when the secret before the last rotation works.' },
    key: { type: 'string', description: 'The secret. Only in the reply to the request that made it.' },
  },
  ['key'],
);
const NOT_REPEATED = 'An `Idempotency-Key` has no effect.';

const CREATE = {
  operationId: 'createKey',
  summary: 'Create a key',
  description: `Creates a key of the same account, with documents, templates and batches of its own. A key can grant only scopes that it has itself. ${NOT_REPEATED}`,
  body: CreateBody,
  response: { 201: { description: 'The key, with its secret.', ...KEY_SCHEMA } },
  errors: [422],
};

const LIST = {
  operationId: 'listKeys',
  summary: 'List keys',
  description: 'Lists this key, the keys that it created, and the keys that those created.',
  querystring: { type: 'object', properties: PAGE_PARAMETERS },
  response: { 200: { description: 'One page of the keys.', ...listSchema(KEY_SCHEMA) } },
};

const READ = {
  operationId: 'readKey',
  summary: 'Read a key',
  params: ID,
  response: { 200: { description: 'The key, without its secret.', ...KEY_SCHEMA } },
};

const ROTATE = {
  operationId: 'rotateKey',
  summary: 'Give a key a new secret',
  description: `The old secret works for another day, or for \`expires_in\` seconds; that of an earlier rotation stops working. ${NOT_REPEATED}`,
  params: ID,
  body: RotateBody,
  response: { 200: { description: 'The key, with its new secret.', ...KEY_SCHEMA } },
};

const REVOKE = {
  operationId: 'revokeKey',
  summary: 'Revoke a key',
  description: 'The key and the keys that it created stop working at once. Their documents stay until they expire.',
  params: ID,
  response: { 204: { description: 'The key was revoked.', type: 'null' } },
};
