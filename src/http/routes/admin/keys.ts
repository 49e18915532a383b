/** `/v1/admin/accounts/{id}/keys` and `/v1/admin/keys/{id}`: lists, creates and revokes the keys of an account. */
import type { FastifyInstance } from 'fastify';
import { PAGE_PARAMETERS } from '../../replies/records.ts';
import { type ById, listSchema, pathId } from '../../replies/response-schema.ts';
import { readPage, toList } from '../../requests/listing.ts';
import { requirePrincipal } from '../../server/authenticate.ts';
import { RATE_LIMITED } from '../../server/rate-limit.ts';
import { CreateBody, KEY_SCHEMA, keyRecord, readKeyDraft, sendIssued } from '../keys/keys.ts';
import type { RouteServices } from '../services.ts';

export function adminKeyRoutes(app: FastifyInstance, { accounts }: RouteServices): void {
  app.get<ById>('/v1/admin/accounts/:id/keys', { schema: LIST }, async (request) => {
    const { page } = readPage(request);
    const { id } = await accounts.account(request.params.id);
    return toList(await accounts.keys.ofAccount(id, page.limit, page.after), keyRecord);
  });

  app.post<ById>(
    '/v1/admin/accounts/:id/keys',
    { schema: CREATE, config: { ...RATE_LIMITED, bodyOptional: true } },
    async (request, reply) => {
      const { name, scopes = null, isTest = false, expiresInMs } = readKeyDraft(request.body);
      const actor = requirePrincipal(request).keyId;
      const draft = { scopes, isTest, expiresInMs };
      return sendIssued(reply.code(201), await accounts.createKey(request.params.id, name, draft, actor));
    },
  );

  app.delete<ById>('/v1/admin/keys/:id', { schema: REVOKE, config: { bodyOptional: true } }, async (request, reply) => {
    await accounts.keys.revoke(undefined, request.params.id, requirePrincipal(request).keyId);
    return reply.code(204).send();
  });
}

const LIST = {
  operationId: 'adminListKeys',
  summary: 'List the keys of an account',
  params: pathId('Account', 'acc'),
  querystring: { type: 'object', properties: PAGE_PARAMETERS },
  response: { 200: { description: 'One page of the keys.', ...listSchema(KEY_SCHEMA) } },
};

const CREATE = {
  operationId: 'adminCreateKey',
  summary: 'Create a key of an account',
  description:
    'As if the operator had created it: without `scopes` it has full access, and without `expires_in` it does not expire. It is never the key of an administrator.',
  params: pathId('Account', 'acc'),
  body: CreateBody,
  response: { 201: { description: 'The key, with its secret.', ...KEY_SCHEMA } },
};

const REVOKE = {
  operationId: 'adminRevokeKey',
  summary: 'Revoke a key of any account, and the keys that it created',
  params: pathId('Key', 'key'),
  response: { 204: { description: 'The key was revoked.', type: 'null' } },
};
