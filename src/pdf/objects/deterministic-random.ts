/**
 * Reproducible random bytes: a secret and the finishing task in, bytes out that are indistinguishable from random without the secret.
 * With them, the same request gives the same bytes even if the PDF is encrypted.
 */
import { createCipheriv, createHash, createHmac } from 'node:crypto';
import type { FinishSettings } from '../finish-settings.ts';

/** The key stream of AES-256 in counter mode. */
export class DeterministicRandom {
  readonly #cipher: ReturnType<typeof createCipheriv>;

  constructor(secret: Uint8Array, digest: Uint8Array) {
    const key = createHmac('sha256', secret).update('platen finishing 1').update(digest).digest();
    this.#cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  }

  bytes(count: number): Buffer {
    return this.#cipher.update(Buffer.alloc(count));
  }
}

/** A digest of everything that the finished PDF depends on, except its signature. */
export function digestInputs(pdf: Uint8Array, { attachments, watermark, forms, signature: _, ...rest }: FinishSettings): Buffer {
  const { stamp = [], ...drawing } = watermark ?? {};
  const { appearances = [], ...form } = forms ?? {};
  const contents = [pdf, Buffer.concat(stamp), ...appearances.flat(), ...attachments.map(({ content }) => content)];
  const facts = { ...rest, ...(forms && { form }), drawing, files: attachments.map(({ content: _, ...facts }) => facts) };
  const hash = createHash('sha256').update(sha256(Buffer.from(JSON.stringify(facts))));
  for (const content of contents) hash.update(sha256(content));
  return hash.digest();
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
