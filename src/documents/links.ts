/** Signed links: a document's id and an end in, an address that works without a key until then out; and the reverse. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../accounts/leases.ts';
import { ServiceError } from '../errors.ts';
import type { Database } from '../storage/database.ts';

const FIRST_KEY = 'sgn_1';
const SECRET_BYTES = 32;
/** What a link says; its signature is what is to be checked. */
const LINK = /^\/links\/(\w+)\?expires=(\d+)&key=(\w+)&signature=/;

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
    return { path: this.#path(id, expires, this.#current) ?? '', expiresAt: expires * 1000 };
  }

  /**
   * The document a link leads to. `path` is the path with its query, as it was sent: it has to be what `sign` gave, character by
   * character. Throws `not_found` when it was not signed here, and `link_expired`.
   */
  check(path: string): string {
    const [, id = '', seconds = '', key = ''] = LINK.exec(path) ?? [];
    const expires = Number(seconds);
    const signed = this.#path(id, expires, key);
    if (!signed || !isSameText(path, signed)) throw new ServiceError('not_found', 'there is no document at this address');
    if (expires * 1000 <= this.#clock())
      throw new ServiceError('link_expired', `the link expired at ${new Date(expires * 1000).toISOString()}`);
    return id;
  }

  /** `expires` in seconds since 1970. Undefined where there is no such key. */
  #path(id: string, expires: number, key: string): string | undefined {
    const secret = this.#secrets.get(key);
    if (!secret) return undefined;
    const signature = createHmac('sha256', secret).update(`GET ${id} ${expires} ${key}`).digest('base64url');
    return `/links/${id}?expires=${expires}&key=${key}&signature=${signature}`;
  }
}

/** In a time that does not tell where they differ. */
function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
