/** Returns the SHA-256 of bytes in hexadecimal, as the service reports it for content. */
import { createHash } from 'node:crypto';

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
