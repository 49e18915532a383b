/**
 * Reads the operator's secret keys, which encrypt the private keys in the database: a file in, ciphers out. The first key of the
 * file encrypts; the others only decrypt, until everything is encrypted with the first.
 */
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ServiceError, storageFailed } from '../errors.ts';
import { PayloadCipher } from '../storage/payload-cipher.ts';

export interface SecretKeySettings {
  /** If empty, the service generates a key in its data folder. */
  secretKeyFile: string;
  dataDir: string;
  /** Whether other nodes share the database, but not the data folder. */
  isShared: boolean;
}

/** The file of secret keys cannot be used. The message is for the operator. */
export class SecretKeyError extends Error {
  override name = 'SecretKeyError';
}

export interface SecretKey {
  /** Identifies the key without revealing anything about it. */
  id: string;
  cipher: PayloadCipher;
}

const MIN_BYTES = 32;
const ID_DIGITS = 16;
export const OWN_FILE = 'secret.key';
const TEXT = /^[\x20-\x7e\s]*$/;

export class SecretKeys {
  readonly #settings: SecretKeySettings;
  /** The file of the generated key. Undefined if the operator sets the keys. */
  readonly #ownFile: string | undefined;
  #keys: SecretKey[];

  /** Throws `SecretKeyError`, also if the generated key is damaged. */
  constructor(settings: SecretKeySettings) {
    this.#settings = settings;
    const { secretKeyFile, isShared, dataDir } = settings;
    this.#ownFile = secretKeyFile || isShared ? undefined : join(dataDir, OWN_FILE);
    this.#keys = this.#ownFile ? readOwnKeys(this.#ownFile) : [];
    if (secretKeyFile) this.#keys = readKeys(secretKeyFile, `PLATEN_SECRET_KEY_FILE=${secretKeyFile}`);
  }

  /** The key that encrypts. Generates one if the operator has set none. Throws `secret_key_missing`, `storage_failed`. */
  current(): SecretKey {
    const [first] = this.#readAll();
    if (first) return first;
    if (!this.#ownFile)
      throw new ServiceError(
        'secret_key_missing',
        'certificates cannot be stored on this server until the operator sets PLATEN_SECRET_KEY_FILE',
      );
    makeKey(this.#ownFile);
    return this.current();
  }

  has(id: string): boolean {
    return this.#readAll().some((key) => key.id === id);
  }

  /** Throws `secret_key_missing`. */
  withId(id: string): SecretKey {
    const found = this.#readAll().find((key) => key.id === id);
    if (found) return found;
    const where = this.#ownFile ? `${OWN_FILE} in the data folder of the service` : 'the file that PLATEN_SECRET_KEY_FILE names';
    const cause = new Error(`the secret key ${id} is not in ${this.#ownFile ?? (this.#settings.secretKeyFile || where)}`);
    throw new ServiceError('secret_key_missing', `the certificate is encrypted with a secret key that is not in ${where}`, {
      cause,
    });
  }

  /** Another process may have generated the key after this one started. */
  #readAll(): SecretKey[] {
    if (this.#keys.length || !this.#ownFile) return this.#keys;
    try {
      this.#keys = readOwnKeys(this.#ownFile);
      return this.#keys;
    } catch (cause) {
      if (!(cause instanceof SecretKeyError)) throw cause;
      throw new ServiceError('secret_key_missing', 'the secret key of certificates cannot be read on this server', { cause });
    }
  }
}

function readOwnKeys(file: string): SecretKey[] {
  try {
    return readKeys(file, file);
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException)?.code === 'ENOENT') return [];
    throw error;
  }
}

/** A text file has one key on each line; any other file is one key. `name` identifies the file in errors. */
function readKeys(file: string, name: string): SecretKey[] {
  const content = readKeyFile(file, name);
  const text = content.toString('latin1');
  const lines = text.split('\n').map((line) => Buffer.from(line.trim(), 'latin1'));
  const keys = TEXT.test(text) ? lines.filter(({ length }) => length > 0) : [content];
  if (!keys.length || keys.some(({ length }) => length < MIN_BYTES))
    throw new SecretKeyError(
      `${name}: each key must have at least ${MIN_BYTES} bytes. Restore the file that was used when certificates were stored; if none are stored, create one with: openssl rand -hex 32`,
    );
  return keys.map(toSecretKey);
}

function readKeyFile(file: string, name: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new SecretKeyError(`${name}: cannot be read (${(cause as Error).message})`, { cause });
  }
}

function toSecretKey(secret: Buffer): SecretKey {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `platen ${purpose}`, 32));
  const id = createHash('sha256').update(derive('key id')).digest('hex').slice(0, ID_DIGITS);
  return { id, cipher: new PayloadCipher(derive('certificates')) };
}

/** Creates the key file atomically and durably. If several processes try at once, only one succeeds. Throws `storage_failed`. */
function makeKey(file: string): void {
  const draft = `${file}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    writeFileSync(draft, `${randomBytes(MIN_BYTES).toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    linkUnlessThere(draft, file);
    syncFolder(dirname(file));
  } catch (error) {
    throw storageFailed('the secret key of certificates cannot be written', error);
  } finally {
    rmSync(draft, { force: true });
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function linkUnlessThere(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
