/** `/v1/admin/audit`: what was changed about accounts and keys, and by whom. */
import type { FastifyInstance } from 'fastify';
import { AUDIT_ACTIONS, type AuditEntry } from '../../../audit/audit.ts';
import { PAGE_PARAMETERS, toIsoTime } from '../../replies/records.ts';
import { listSchema, recordSchema, TIME } from '../../replies/response-schema.ts';
import { readChoice, readPage, readText, readTime, toList } from '../../requests/listing.ts';
import type { RouteServices } from '../services.ts';

const FILTERS = {
  ...{ account_id: readText, object_id: readText, actor: readText, action: readChoice(AUDIT_ACTIONS) },
  ...{ created_after: readTime, created_before: readTime },
};

export function auditRoutes(app: FastifyInstance, { auditLog }: RouteServices): void {
  app.get('/v1/admin/audit', { schema: LIST }, async (request) => {
    const { page, filter } = readPage(request, FILTERS);
    const { actor, action, account_id: accountId, object_id: objectId } = filter;
    const during = { createdAfter: filter.created_after, createdBefore: filter.created_before };
    return toList(await auditLog.list(page.limit, { actor, action, accountId, objectId, ...during }, page.after), entryRecord);
  });
}

function entryRecord({ id, actor, action, accountId, objectId, changes, createdAt }: AuditEntry) {
  return { id, actor, action, account_id: accountId, object_id: objectId, changes, created_at: toIsoTime(createdAt) };
}

const TEXT = { type: 'string' };
const ACTION = { $id: 'AuditAction', type: 'string', enum: AUDIT_ACTIONS };
const ENTRY_SCHEMA = recordSchema('AuditEntry', {
  id: { ...TEXT, examples: ['aud_0123456789ABCDEFGHIJKL'] },
  actor: { ...TEXT, description: 'The id of the key that made the change, or `command line`.' },
  action: ACTION,
  account_id: TEXT,
  object_id: { ...TEXT, description: 'The account, key or webhook that was changed.' },
  changes: {
    $id: 'AuditChanges',
    type: 'object',
    additionalProperties: true,
    description: 'By field, its value `before` and `after`.',
    examples: [{ plan: { before: 'free', after: 'growth' } }],
  },
  created_at: TIME,
});

const LIST = {
  operationId: 'adminListAuditEntries',
  summary: 'List changes of accounts and keys',
  querystring: {
    type: 'object',
    properties: {
      ...PAGE_PARAMETERS,
      ...{ account_id: TEXT, object_id: TEXT, actor: TEXT, action: ACTION, created_after: TIME, created_before: TIME },
    },
  },
  response: { 200: { description: 'One page of the audit log.', ...listSchema(ENTRY_SCHEMA) } },
};
