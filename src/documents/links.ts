/** Signs links to documents, which work without a key until they expire, and checks them. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { Database, Query } from '../storage/database.ts';

const KEY = 'sgn_1';
const SECRET_BYTES = 32;
/** How long the database is taken to be writable after a write. */
const WRITABLE_MS = 5_000;
const LINK = /^\/links\/(\w+)\?expires=(\d+)&/;

export class Links {
  readonly #secret: Buffer;
  readonly #clock: Clock;
  readonly #database: Database;
  #writableUntil = 0;

  private constructor(database: Database, secret: Buffer, clock: Clock) {
    this.#database = database;
    this.#secret = secret;
    this.#clock = clock;
  }

  /** The first start creates the secret. It is in the database, so that links survive a restart. */
  static async open(database: Database, clock: Clock): Promise<Links> {
    const first = { id: KEY, secret: randomBytes(SECRET_BYTES).toString('hex'), created_at: clock() };
    // If several processes start at once, only one creates it.
    await database.query
      .insertInto('signing_keys')
      .values(first)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    await database.flush();
    const secret = await readSecret(database.query);
    if (!secret) throw new Error('the secret of links was removed while the service started');
    return new Links(database, secret, clock);
  }

  /** Rejects while the database cannot be read or written. It writes what is there already, at most every few seconds. */
  async checkStorage(): Promise<void> {
    const { query } = this.#database;
    if (performance.now() < this.#writableUntil)
      return void (await query.selectFrom('signing_keys').select('id').limit(1).execute());
    await query
      .updateTable('signing_keys')
      .set((eb) => ({ created_at: eb.ref('created_at') }))
      .where('id', '=', KEY)
      .execute();
    this.#writableUntil = performance.now() + WRITABLE_MS;
  }

  /** Derives a secret for another purpose, which lives as long as the signing secret. */
  secretFor(purpose: string): Buffer {
    return deriveSecret(this.#secret, purpose);
  }

  /** Returns a path with a query. The link expires on a whole second, and not later than the document. */
  sign({ id, expiresAt }: { id: string; expiresAt: number }, seconds: number): { path: string; expiresAt: number } {
    const expires = Math.floor(Math.min(this.#clock() + seconds * 1000, expiresAt) / 1000);
    return { path: this.#path(id, expires), expiresAt: expires * 1000 };
  }

  /**
   * Returns the document of a link. `path` is the path and query as it was sent, and must be exactly what `sign` returned. Throws
   * `not_found` if it was not signed here, and `link_expired`.
   */
  check(path: string): string {
    const [, id = '', seconds = ''] = LINK.exec(path) ?? [];
    const expires = Number(seconds);
    if (!isSameText(path, this.#path(id, expires))) throw new ServiceError('not_found', 'there is no document at this URL');
    if (expires * 1000 <= this.#clock())
      throw new ServiceError('link_expired', `the link expired at ${new Date(expires * 1000).toISOString()}`);
    return id;
  }

  /** `expires` is in seconds since 1970. */
  #path(id: string, expires: number): string {
    const signature = createHmac('sha256', this.#secret).update(`GET ${id} ${expires} ${KEY}`).digest('base64url');
    return `/links/${id}?expires=${expires}&key=${KEY}&signature=${signature}`;
  }
}

/** What marks the content of an installation, in hexadecimal; see `openBlobs`. Empty before the first start. */
export async function readInstallation(query: Query): Promise<string> {
  const secret = await readSecret(query);
  return secret ? deriveSecret(secret, 'blobs').toString('hex') : '';
}

async function readSecret(query: Query): Promise<Buffer | undefined> {
  const row = await query.selectFrom('signing_keys').select('secret').where('id', '=', KEY).executeTakeFirst();
  return row && Buffer.from(row.secret, 'hex');
}

function deriveSecret(key: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(`platen ${purpose}`).digest();
}

/** Compares in constant time, so that the duration does not reveal where the texts differ. */
function isSameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
