/**
 * The shared parts of replies to `POST /v1/pdf` and `POST /v1/image`: headers, and the repeated reply about a stored document.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Documents, StoredDocument } from '../../documents/documents.ts';
import { type Answer, resultGone } from '../../idempotency/idempotency.ts';
import type { RenderedPdf } from '../../render/pdf.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { JSON_TYPE, PDF, prefersType } from '../server/negotiation.ts';
import { requestOrigin } from '../server/origin.ts';
import { DOCUMENT_SCHEMA, documentRecord } from './records.ts';
import { binary, header } from './response-schema.ts';
import { sendStored, storedFacts } from './send-file.ts';
import { sendResult } from './send-report.ts';

interface Result {
  document?: StoredDocument | undefined;
  remaining: number | null;
  warnings?: number | undefined;
}

export function setResultHeaders(reply: FastifyReply, { document, remaining, warnings }: Result): FastifyReply {
  if (remaining !== null) reply.header('platen-quota-remaining', remaining);
  if (document) reply.header('platen-document-id', document.id);
  if (warnings !== undefined) reply.header('platen-warnings', warnings);
  return reply;
}

/** For a document that was stored because the caller asked for it. */
export function setCreated(request: FastifyRequest, reply: FastifyReply, document: StoredDocument): void {
  reply.code(201).header('location', `${requestOrigin(request)}/v1/documents/${document.id}`);
  if (!document.image) reply.header('platen-pages', document.pages);
}

/** Repeats the reply about a document, or replies that the document has been removed in the meantime. */
export async function replayStored(
  documents: Documents,
  answer: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (answer.kind !== 'document') throw resultGone();
  const document = await documents.find(requirePrincipal(request).keyId, answer.documentId);
  const { id: documentId, report = { warning_count: 0 } } = document;
  const facts = { ...storedFacts(document), report, documentId };
  setResultHeaders(reply, { document, remaining: answer.remaining, warnings: document.report?.warning_count });
  if (!answer.asked && prefersType(request, JSON_TYPE, facts.type))
    return sendResult(request, reply, facts, await documents.read(document));
  if (answer.asked) setCreated(request, reply, document);
  if (!answer.asked || prefersType(request, facts.type, JSON_TYPE)) return sendStored(request, reply, documents, document);
  return reply.send(documentRecord(document, requestOrigin(request)));
}

export function serverTiming({ timings }: Pick<RenderedPdf, 'timings'>): string {
  return Object.entries(timings)
    .map(([phase, milliseconds]) => `${phase};dur=${milliseconds}`)
    .join(', ');
}

export const RESULT_HEADERS = {
  'Platen-Quota-Remaining': header('integer', 'Documents left this month; absent if the plan has no limit.', 'QuotaRemaining'),
  'Platen-Document-Id': header('string', 'Set when the result was stored.', 'DocumentId'),
  'Idempotency-Replayed': header('string', '`true` if an earlier reply is repeated.', 'Replayed'),
  'Platen-Warnings': header('integer', 'Number of warnings.'),
  'Server-Timing': header('string', 'Milliseconds in queue, load, print, finish.', 'Timing'),
};

export const DOCUMENT_CONTENT = { ...binary(PDF), ...binary('image/*') };

/** The reply to a request with `store`. */
export const CREATED = {
  $id: 'Document201',
  description:
    'The result was stored, because of `store`. The record of the document, or its content where Accept names that type alone.',
  headers: {
    'Platen-Pages': header('integer', 'Number of pages. Absent for an image.'),
    ...RESULT_HEADERS,
    Location: header('string', 'Where the document is.'),
  },
  content: { [JSON_TYPE]: { schema: DOCUMENT_SCHEMA }, ...DOCUMENT_CONTENT },
};
