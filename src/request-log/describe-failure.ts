/** Says in the request log why something failed, without text of a document, of its data or of its addresses. */
import { EXPLANATIONS } from '../error-explanations.ts';
import type { ErrorCode, ServiceError } from '../errors.ts';

/** Codes whose details consist of our words, numbers and names of options and plans, unless an error says otherwise. Others may quote the document. */
const QUOTED: readonly ErrorCode[] = [
  ...(['quota_exceeded', 'concurrency_limited', 'queue_full', 'memory_limited', 'overloaded', 'shutting_down'] as const),
  ...(['render_timeout', 'page_crashed', 'resource_limit', 'content_too_large', 'forbidden_url', 'not_found'] as const),
  ...(['storage_unavailable', 'storage_limit', 'document_expired', 'document_deleted', 'insufficient_scope'] as const),
  ...(['idempotency_running', 'idempotency_mismatch', 'idempotency_result_gone', 'unsupported_media_type'] as const),
  ...([
    'not_acceptable',
    'not_conformant',
    'timestamps_unavailable',
    'certificate_expired',
    'account_suspended',
    'client_closed',
  ] as const),
];

export function describeFailure(code: ErrorCode, error: ServiceError | undefined): string {
  return error && (error.isPlain ?? QUOTED.includes(code)) ? error.message : EXPLANATIONS[code].title;
}
