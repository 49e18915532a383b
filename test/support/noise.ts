/** Bytes that cannot be compressed, and are the same in each run, so that a failure can be repeated. */
import { createCipheriv } from 'node:crypto';

/** Returns this many bytes; others for another seed. */
export function noise(count: number, seed = 0): Buffer {
  const start = Buffer.alloc(16);
  start.writeUInt32BE(seed);
  return createCipheriv('aes-128-ctr', Buffer.alloc(16), start).update(Buffer.alloc(count));
}
