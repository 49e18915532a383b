/** Finds the decompressor for the Content-Encoding of a request. */
import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { ServiceError } from '../../errors.ts';

/** Both need 32 KB to decompress. Others, such as br, need megabytes that the memory budget does not count. */
const DECOMPRESSORS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
};

/** The Accept-Encoding header of a refusal (RFC 9110, 12.5.3). */
export const ACCEPTED_CODINGS = 'gzip, deflate';

/** Returns undefined if the body is not compressed. Throws `unsupported_media_type`. */
export function createDecompressor(header: string | undefined): Transform | undefined {
  const coding = codingName(header);
  if (coding === 'identity') return undefined;
  if (isAccepted(header)) return DECOMPRESSORS[coding]?.();
  const detail = `send the body with Content-Encoding ${ACCEPTED_CODINGS.replace(', ', ' or ')}, or without one`;
  throw new ServiceError('unsupported_media_type', detail);
}

export function isAccepted(header: string | undefined): boolean {
  const coding = codingName(header);
  return coding === 'identity' || Object.hasOwn(DECOMPRESSORS, coding);
}

function codingName(header: string | undefined): string {
  return header?.trim().toLowerCase() || 'identity';
}
