/** Reads the Accept header to find out which media types the reply may have. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';

export const PDF = 'application/pdf';
export const JSON_TYPE = 'application/json';

/** Throws `not_acceptable` when the client can use none of the types. */
export function requireAcceptable(request: FastifyRequest, ...types: string[]): void {
  if (request.headers.accept === undefined || request.accepts().type(types)) return;
  throw new ServiceError(
    'not_acceptable',
    `this endpoint answers with ${types.join(' or ')}, which the Accept header does not allow`,
  );
}

/**
 * Whether the client prefers `type` to the default `usual`: its header names `type`, or all of its kind, and matches neither `usual` nor every type.
 * For example, axios sends `application/json, text/plain, * / *` by default and still gets a PDF.
 */
export function prefersType(request: FastifyRequest, type: string, usual: string): boolean {
  const named = (request.headers.accept ?? '').split(',').map((range) => (range.split(';')[0] ?? '').trim().toLowerCase());
  const names = (each: string) => named.includes(each) || named.includes(each.replace(/\/.*/, '/*'));
  return names(type) && !names(usual) && !named.includes('*/*');
}
