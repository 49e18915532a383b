/** Encrypts secrets for the database, such as the requests of waiting items: a value in, ciphertext out, and the reverse. */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export class PayloadCipher {
  readonly #key: KeyObject;

  /** `key` has 32 bytes. */
  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key); // bytes would be copied and checked for each value, which takes most of the time of a short one
  }

  /** `boundTo` is authenticated as additional data, so that the ciphertext cannot be moved to another row. */
  encrypt(value: unknown, boundTo: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv).setAAD(Buffer.from(boundTo));
    const ciphertext = [iv, cipher.update(JSON.stringify(value), 'utf8'), cipher.final()];
    return Buffer.concat([...ciphertext, cipher.getAuthTag()]);
  }

  /** Throws if the ciphertext was changed or bound to something else, or was encrypted with another key. */
  decrypt(ciphertext: Uint8Array, boundTo: string): unknown {
    const bytes = Buffer.from(ciphertext.buffer, ciphertext.byteOffset, ciphertext.byteLength);
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(boundTo))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = [decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
    return JSON.parse(Buffer.concat(text).toString());
  }
}
