/** Checks that the charset of a request is UTF-8. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { explainConversion } from '../../utf8.ts';

/** Matches the parameter in any position, with or without quotes. */
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

/** The extension of a file of each media type. */
const KINDS = [
  [/^[^;]*\bjson\b/i, 'json'],
  [/^[^;]*\bhtml\b/i, 'html'],
  [/^[^;]*\bmarkdown\b/i, 'md'],
] as const;

/** Throws `unsupported_media_type`. */
export function requireUtf8({ headers }: FastifyRequest): void {
  const kind = KINDS.find(([pattern]) => pattern.test(headers['content-type'] ?? ''))?.[1] ?? 'txt';
  for (const [, charset = ''] of (headers['content-type'] ?? '').matchAll(CHARSET)) {
    if (/^utf-?8$/i.test(charset)) continue;
    const how = isEncoding(charset) ? `. If it is in ${charset}, ${explainConversion(charset.toUpperCase(), `in.${kind}`)}` : '';
    throw new ServiceError(
      'unsupported_media_type',
      `send the body in UTF-8, and the Content-Type without another charset${how}`,
    );
  }
}

function isEncoding(charset: string): boolean {
  try {
    return new TextDecoder(charset) !== undefined;
  } catch {
    return false;
  }
}
