/** Signed links: a document's id and an end in, an address that works without a key until then out; and the reverse. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../accounts/leases.ts';
import { ServiceError } from '../errors.ts';
import type { Database } from '../storage/database.ts';

/** What a link carries in its query. */
export interface LinkQuery {
  /** Seconds since 1970. */
  expires: string;
  /** Which secret signed it. */
  key: string;
  signature: string;
}

const FIRST_KEY = 'sgn_1';
const SECRET_BYTES = 32;

export class Links {
  readonly #secrets: ReadonlyMap<string, Buffer>;
  readonly #current: string;
  readonly #clock: Clock;

  private constructor(secrets: Map<string, Buffer>, current: string, clock: Clock) {
    this.#secrets = secrets;
    this.#current = current;
    this.#clock = clock;
  }

  /** The secret is in the database, so that links outlive a restart; the first start makes it. */
  static async open(database: Database, clock: Clock): Promise<Links> {
    const first = { id: FIRST_KEY, secret: randomBytes(SECRET_BYTES).toString('hex'), created_at: clock() };
    // Of several that start at once, one makes it.
    await database.query
      .insertInto('signing_keys')
      .values(first)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    await database.flush();
    const keys = await database.query
      .selectFrom('signing_keys')
      .select(['id', 'secret'])
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const secrets = new Map(keys.map(({ id, secret }) => [id, Buffer.from(secret, 'hex')]));
    return new Links(secrets, keys.at(-1)?.id ?? '', clock);
  }

  /** A secret of its own for another purpose: as long-lived as the first of those that sign. */
  secretFor(purpose: string): Buffer {
    return createHmac('sha256', this.#secrets.get(FIRST_KEY) ?? '')
      .update(`platen ${purpose}`)
      .digest();
  }

  /** A path with its query. It ends with the document at the latest, on a whole second. */
  sign({ id, expiresAt }: { id: string; expiresAt: number }, seconds: number): { path: string; expiresAt: number } {
    const expires = Math.floor(Math.min(this.#clock() + seconds * 1000, expiresAt) / 1000);
    const signature = this.#signature(this.#current, id, expires)?.toString('base64url') ?? '';
    const query = new URLSearchParams({ expires: String(expires), key: this.#current, signature });
    return { path: `/links/${id}?${query}`, expiresAt: expires * 1000 };
  }

  /** Throws `not_found` when it was not signed here, and `link_expired`. */
  check(documentId: string, { expires, key, signature }: LinkQuery): void {
    const expected = this.#signature(key, documentId, Number(expires));
    const given = Buffer.from(signature, 'base64url');
    if (!expected || given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new ServiceError('not_found', 'there is nothing at this address');
    if (Number(expires) * 1000 <= this.#clock())
      throw new ServiceError('link_expired', `the link expired at ${new Date(Number(expires) * 1000).toISOString()}`);
  }

  #signature(key: string, documentId: string, expires: number): Buffer | undefined {
    const secret = this.#secrets.get(key);
    return secret && createHmac('sha256', secret).update(`GET ${documentId} ${expires} ${key}`).digest();
  }
}
