/** Stores, lists and removes the certificates of an API key. Private keys are stored encrypted and never returned to callers. */

import { lockKey } from '../accounts/keys.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { createId, isId } from '../ids.ts';
import type { Database, Query } from '../storage/database.ts';
import { type ListPage, type Position, readListPage } from '../storage/listing.ts';
import { readCount } from '../storage/totals.ts';
import type { CertificateFacts, SigningKey } from './certificate-facts.ts';
import type { Pkcs12Reader } from './pkcs12-reader.ts';
import type { KeyPair } from './pkcs12-worker.ts';
import type { SecretKeys } from './secret-keys.ts';

export interface StoredCertificate extends CertificateFacts {
  id: string;
  name: string;
  createdAt: number;
}

export interface CertificateDraft {
  name: string;
  pkcs12: Uint8Array;
  password: string;
}

/** The API key that owns the certificates, and its account, for which they are counted. */
export interface CertificateOwner {
  keyId: string;
  accountId: string;
}

export const MAX_CERTIFICATES = 100;
const COLUMNS = ['id', 'name', 'facts', 'created_at'] as const;

export class Certificates {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #reader: Pkcs12Reader;
  readonly #secretKeys: SecretKeys;

  constructor(database: Database, clock: Clock, reader: Pkcs12Reader, secretKeys: SecretKeys) {
    this.#database = database;
    this.#clock = clock;
    this.#reader = reader;
    this.#secretKeys = secretKeys;
  }

  /**
   * `also` is written in the same transaction. Throws `certificate_password_wrong`, `certificate_unusable`, `certificate_expired`,
   * `certificate_limit`, `secret_key_missing`, `queue_full`, and `unauthorized` if the key was revoked meanwhile.
   */
  async create(
    { keyId, accountId }: CertificateOwner,
    { name, pkcs12, password }: CertificateDraft,
    also: (certificate: StoredCertificate, query: Query) => Promise<void> = async () => {},
  ): Promise<StoredCertificate> {
    const secretKey = this.#secretKeys.current();
    const pair = await this.#reader.open(accountId, { content: pkcs12, password });
    const now = this.#clock();
    if (pair.facts.notAfter <= now) throw certificateExpired(pair.facts);
    const id = createId('cert');
    const certificate = { id, name, createdAt: now, ...pair.facts };
    const row = {
      ...{ id, name, key_id: keyId, account_id: accountId, created_at: now },
      ...{ facts: JSON.stringify(pair.facts), secret_key_id: secretKey.id },
      ciphertext: secretKey.cipher.encrypt(toText(pair), additionalData(id)),
    };
    await this.#database.transaction(async (query) => {
      await lockKey(query, keyId); // a revocation that already removed the key's certificates would miss this one
      await query.insertInto('certificates').values(row).execute();
      await this.#checkLimit(accountId, query);
      await also(certificate, query);
    }, `certificates ${accountId}`);
    await this.#database.flush();
    return certificate;
  }

  /** Lists certificates after a position, newest first. */
  async list(keyId: string, limit: number, after?: Position): Promise<ListPage<StoredCertificate>> {
    const owned = this.#database.query.selectFrom('certificates').select(COLUMNS).where('key_id', '=', keyId);
    return readListPage(owned, { limit, after, toItem: toCertificate });
  }

  /** Throws `not_found`, also for a certificate of another key. */
  async find(keyId: string, id: string): Promise<StoredCertificate> {
    return toCertificate(await this.#read(keyId, id));
  }

  /** Returns a certificate with its private key. Throws `not_found`, `certificate_expired`, `secret_key_missing`. */
  async open(keyId: string, id: string): Promise<SigningKey> {
    const row = await this.#read(keyId, id, 'options.signature.certificate: ');
    const facts = JSON.parse(row.facts) as CertificateFacts;
    const now = this.#clock();
    if (facts.notAfter <= now || facts.notBefore > now) throw certificateExpired(facts, now);
    const { key, chain } = this.#secretKeys
      .withId(row.secret_key_id)
      .cipher.decrypt(row.ciphertext, additionalData(id)) as Secrets;
    return { facts, key: Buffer.from(key, 'base64'), chain: chain.map((each) => Buffer.from(each, 'base64')) };
  }

  /** Removes a certificate and the idempotency records of the requests that stored it. Throws `not_found`. */
  async remove(keyId: string, id: string): Promise<void> {
    if (!isId(id)) throw notFound();
    await this.#database.transaction(async (query) => {
      const { numDeletedRows } = await query
        .deleteFrom('certificates')
        .where('id', '=', id)
        .where('key_id', '=', keyId)
        .executeTakeFirstOrThrow();
      if (!numDeletedRows) throw notFound();
      await query.deleteFrom('idempotency_keys').where('resource_id', '=', id).execute();
    });
    await this.#database.flush();
  }

  /** The number of certificates that cannot sign, because their secret key is missing. */
  async countLost(): Promise<number> {
    const rows = await this.#database.query.selectFrom('certificates').select('secret_key_id').execute();
    return rows.filter(({ secret_key_id }) => !this.#secretKeys.has(secret_key_id)).length;
  }

  /** Encrypts certificates under earlier secret keys with the current one. Returns their number. Throws `secret_key_missing`. */
  async reencrypt(): Promise<number> {
    const current = this.#secretKeys.current();
    const rows = await this.#database.query
      .selectFrom('certificates')
      .select(['id', 'ciphertext', 'secret_key_id'])
      .where('secret_key_id', '!=', current.id)
      .execute();
    for (const { id, ciphertext, secret_key_id: before } of rows) {
      const secrets = this.#secretKeys.withId(before).cipher.decrypt(ciphertext, additionalData(id));
      await this.#database.query
        .updateTable('certificates')
        .set({ ciphertext: current.cipher.encrypt(secrets, additionalData(id)), secret_key_id: current.id })
        .where('id', '=', id)
        .execute();
    }
    await this.#database.flush();
    return rows.length;
  }

  async #read(keyId: string, id: string, field = '') {
    const owned = this.#database.query.selectFrom('certificates').where('key_id', '=', keyId);
    const columns = [...COLUMNS, 'ciphertext', 'secret_key_id'] as const;
    const row = isId(id) ? await owned.select(columns).where('id', '=', id).executeTakeFirst() : undefined;
    if (!row) throw notFound(field);
    return row;
  }

  /** Checks the limit after the insert, in the same transaction, so that an error rolls the insert back. */
  async #checkLimit(accountId: string, query: Query): Promise<void> {
    const count = await readCount(query.selectFrom('certificates').where('account_id', '=', accountId));
    if (count <= MAX_CERTIFICATES) return;
    const detail = `an account may have ${MAX_CERTIFICATES} certificates; delete those that you no longer need`;
    throw new ServiceError('certificate_limit', detail, { members: { limit: MAX_CERTIFICATES } });
  }
}

/** The encrypted values, in base64. */
interface Secrets {
  key: string;
  chain: string[];
}

function toText({ key, chain }: KeyPair): Secrets {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return { key: base64(key), chain: chain.map(base64) };
}

function additionalData(id: string): string {
  return `certificate ${id}`;
}

function toCertificate(row: { id: string; name: string; facts: string; created_at: number }): StoredCertificate {
  return { ...(JSON.parse(row.facts) as CertificateFacts), id: row.id, name: row.name, createdAt: row.created_at };
}

function certificateExpired({ notBefore, notAfter }: CertificateFacts, now = notAfter): ServiceError {
  const isEarly = now < notBefore;
  const when = new Date(isEarly ? notBefore : notAfter).toISOString();
  return new ServiceError('certificate_expired', `the certificate ${isEarly ? 'is not valid before' : 'expired at'} ${when}`);
}

function notFound(field = ''): ServiceError {
  return new ServiceError('not_found', `${field}there is no such certificate, or it belongs to another key`);
}
