/** ETags, and `If-Match` (RFC 9110, section 13.1.1), with which a change names the version that it was made in. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidField } from '../../errors.ts';
import { header } from './response-schema.ts';

export const IF_MATCH_SCHEMA = {
  'If-Match': {
    $id: 'IfMatchParam',
    type: 'string',
    description:
      'The ETag that came with what you read. If it is no longer the current one, the reply is 412 and nothing changes.',
    examples: ['"3"'],
  },
};

export const VERSION_ETAG = { ETag: header('string', 'The version in quotes, for If-Match.', 'Version') };

export function setVersionTag(reply: FastifyReply, { version }: { version: number }): void {
  reply.header('etag', `"${version}"`);
}

/** Returns the versions in which the change may be made, and `undefined` if the client names none. Throws `invalid_request`. */
export function readIfMatch(request: FastifyRequest): number[] | undefined {
  return readTags(request)?.map(Number);
}

/** Returns the ETags without their quotes. Throws `invalid_request`. */
export function readTags({ headers }: FastifyRequest): string[] | undefined {
  const given = headers['if-match']?.trim();
  if (given === undefined || given === '*') return undefined;
  const tags = given.split(',').map((tag) => ENTITY_TAG.exec(tag.trim()));
  if (tags.some((tag) => !tag)) {
    throw invalidField('If-Match', 'must be the ETag of what you read, with its quotes, such as "3"; or *');
  }
  return tags.map((tag) => tag?.[1] ?? '');
}

/** Weak tags are accepted, because reverse proxies that compress replies weaken them. */
const ENTITY_TAG = /^(?:W\/)?"([\x21\x23-\x7e]{0,100})"$/;
