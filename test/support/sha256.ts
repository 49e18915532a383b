/** Bytes in, their SHA-256 in hexadecimal out: what the service says about content. */
import { createHash } from 'node:crypto';

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
