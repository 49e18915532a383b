/**
 * Runs Kysely on a PostgreSQL server: a connection pool in which every wait has a time limit, and whose errors become
 * `storage_failed`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, type PostgresQueryResult, sql } from 'kysely';
import pg from 'pg';
import { invalidRequest, ServiceError, storageFailed } from '../errors.ts';
import { type Engine, type Nodes, OutcomeUnknownError } from './engine.ts';
import { joinNodes } from './postgres-nodes.ts';
import { readSchemaName, requireNoOther, requireSessions, requireVersion } from './postgres-requirements.ts';
import { isWrite } from './prepared.ts';
import type { Query, Tables } from './tables.ts';

/** How long to wait for a new connection, or for one of the pool to become free. */
const CONNECT_MS = 10_000;
/** How long to wait for other transactions of the same name. */
const TURN_MS = 10_000;
/** The time after which the server cancels a statement, or ends a transaction that is idle. */
const STATEMENT_MS = 15_000;
/** The time after which a connection without a response is closed. */
const ANSWER_MS = 20_000;
const IDLE_MS = 60_000;
/**
 * The maximum age of a connection that a library uses. Without it, a connection that no longer responds would not be detected.
 */
const LIFETIME_SECONDS = 60;
/** For work that may take long. */
const PATIENT = { statement_timeout: 0, query_timeout: 0 };
const BIGINT = pg.types.builtins.INT8;
/** The codes of a deadlock and of a serialization failure, for which the server aborts one of the transactions. */
const COLLISIONS = ['40P01', '40001'];
const MAX_COLLISIONS = 5;
/** The upper limit of the first random pause after a collision. It doubles with each collision. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;
/**
 * Storage errors by code or class, from https://www.postgresql.org/docs/current/errcodes-appendix.html. All others are defects of
 * Platen.
 */
const STORAGE_FAULTS: Readonly<Record<string, string>> = {
  '08': 'has lost its connection',
  '25006': 'cannot be written',
  '25P03': 'has lost its connection',
  '28': 'refuses the user of the service',
  '3D': 'does not exist on its server',
  '42501': 'does not give the user of the service the rights it needs: make it the owner of the database',
  '53': 'is full or has too many connections',
  '55P03': 'is locked',
  '57': 'was stopped, or takes too long',
  '58': 'fails',
  XX: 'fails',
};
/** Codes or classes of errors after which the connection cannot be used again. */
const ENDING = ['08', '25006', '25P03', '57P'];
const NUL_CHARACTER = '22021';

/** `max` limits the connections. Throws `storage_failed` if there is no server, or its version is not supported. */
export async function openPostgres(databaseUrl: string, max: number): Promise<Engine> {
  let nodes: Nodes | undefined;
  const query = connect(databaseUrl, { max }, () => nodes?.check());
  try {
    await requireVersion(query);
  } catch (error) {
    await query.destroy();
    throw error;
  }
  const turns = new Map<string, Promise<void>>();
  return {
    query,
    isShared: true,
    async migrate(migrate) {
      // Another node may be migrating, and large tables take long, so the time limits of requests do not apply.
      const patient = connect(databaseUrl, { max: 2, ...PATIENT });
      try {
        const schema = await readSchemaName(patient);
        await requireNoOther(patient, schema);
        await migrate(patient, schema);
      } finally {
        await patient.destroy();
      }
    },
    transaction: (work, name) =>
      name === undefined ? transaction(query, work, name) : inTurn(turns, name, () => transaction(query, work, name)),
    exclusively: (name, work) => exclusively(query, name, work),
    connections: (application_name, most) =>
      openPool(databaseUrl, { application_name, max: most, maxLifetimeSeconds: LIFETIME_SECONDS }),
    checkNode: () => nodes?.check(),
    joinNodes: async (options) => {
      const joined = await joinNodes(databaseUrl, options).catch((error: unknown) => {
        throw error instanceof ServiceError ? error : toServiceError(error);
      });
      await requireSessions(query, joined.backendId).catch(async (error: unknown) => {
        await joined.close();
        throw error;
      });
      nodes = joined;
      return nodes;
    },
    flush: async () => {}, // the server confirms a commit only when it survives a power failure, unless the operator has changed that
    scrub: async () => {}, // the next vacuum of the server removes deleted rows
    release: async () => {},
  };
}

/** Opens a database with one connection and without time limits, for commands. Throws `storage_failed`. */
export async function queryPostgres(databaseUrl: string): Promise<Query> {
  const query = connect(databaseUrl, { max: 1, ...PATIENT });
  try {
    await requireVersion(query);
    await readSchemaName(query);
    return query;
  } catch (error) {
    await query.destroy();
    throw error;
  }
}

/** While `check` throws, no statement is started and nothing is committed. */
function connect(connectionString: string, limits: pg.PoolConfig, check = () => {}): Query {
  const pool = openPool(connectionString, { pipeline: true, ...limits }); // see GuardedClient, which sends statements together
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new GuardedPool(pool, check) }) });
}

function openPool(connectionString: string, { statement_timeout = STATEMENT_MS, ...options }: pg.PoolConfig): pg.Pool {
  // As parameters of the connection, PgBouncer would refuse them.
  const limits = `set statement_timeout = ${statement_timeout}; set idle_in_transaction_session_timeout = ${STATEMENT_MS}`;
  const pool = new pg.Pool({
    connectionString,
    application_name: 'platen',
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    onConnect: (client) => client.query(limits) as unknown as undefined, // the pool waits for it; its types do not say so
    query_timeout: ANSWER_MS,
    keepAlive: true,
    types: { getTypeParser: (oid, format) => (oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) },
    ...options,
  });
  pool.on('error', () => {}); // an idle connection has ended; the next statement opens another
  return pool;
}

/**
 * Waits before taking a connection, so that transactions of one name use at most one. Throws `storage_failed` if that takes too
 * long.
 */
async function inTurn<T>(turns: Map<string, Promise<void>>, name: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(name) ?? Promise.resolve();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const turn = before.then(() => ended); // a caller that gives up stops waiting, but those behind it still wait for those before it
  turns.set(name, turn);
  try {
    await inTime(before);
    return await work();
  } finally {
    end();
    void turn.then(() => {
      if (turns.get(name) === turn) turns.delete(name);
    });
  }
}

async function inTime(turn: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(storageFailed('too many changes to the same objects are waiting for each other')),
    TURN_MS,
  );
  await Promise.race([turn, late]).finally(() => clearTimeout(timer));
}

async function transaction<T>(query: Query, work: (query: Query) => Promise<T>, name: string | undefined): Promise<T> {
  for (let collisions = 0; ; collisions++) {
    try {
      return await query.transaction().execute(async (own) => {
        if (name !== undefined)
          await sql`select pg_advisory_xact_lock(hashtext('platen one by one'), hashtext(${name}))`.execute(own);
        return work(own);
      });
    } catch (error) {
      if (!COLLISIONS.includes((error as { code?: string }).code ?? '')) throw error;
      if (collisions === MAX_COLLISIONS) throw storageFailed('the storage of the service is overloaded', error);
      await sleep(collisionPauseMs(collisions)); // without holding a connection
    }
  }
}

/** Random, so that the same transactions do not collide again; longer each time, because there may be many of them. */
export function collisionPauseMs(collisions: number, random = Math.random()): number {
  return random * Math.min(FIRST_PAUSE_MS * 2 ** collisions, LONGEST_PAUSE_MS);
}

/** The advisory lock belongs to the connection, and is released with it if the process dies. */
async function exclusively(query: Query, name: string, work: () => Promise<void>): Promise<void> {
  await query.connection().execute(async (own) => {
    const lock = sql`hashtext('platen one node'), hashtext(${name})`;
    const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_lock(${lock}) as taken`.execute(own);
    if (!rows[0]?.taken) return;
    try {
      await work();
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(own);
    }
  });
}

class GuardedPool implements PostgresPool {
  readonly options = {};
  readonly #pool: pg.Pool;
  readonly #check: () => void;

  constructor(pool: pg.Pool, check: () => void) {
    this.#pool = pool;
    this.#check = check;
  }

  async connect(): Promise<PostgresPoolClient> {
    this.#check();
    try {
      return new GuardedClient(await this.#pool.connect(), this.#check);
    } catch (error) {
      throw toServiceError(error);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

interface Statement {
  text: string;
  parameters: unknown[];
}

/** The result returned for a statement that has not been sent yet. */
const NO_RESULT_YET = { command: '', rowCount: 0, rows: [] };

/**
 * A connection that is closed once it has failed. The begin of a transaction, and writes in it without a result, are held back
 * and sent with the next statement, which saves round trips.
 */
class GuardedClient {
  readonly #client: pg.PoolClient;
  readonly #check: () => void;
  #failed = false;
  #isInTransaction = false;
  #held: Statement[] = [];

  constructor(client: pg.PoolClient, check: () => void) {
    this.#client = client;
    this.#check = check;
    client.on('error', this.#onError); // without a listener, a connection that ends between two statements would end the process
  }

  get processID(): number {
    return (this.#client as unknown as { processID: number }).processID;
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query(...asked: never[]): never;
  async query(text: string, parameters: readonly unknown[]): Promise<unknown> {
    const statement = { text, parameters: parameters as unknown[] };
    if (text === 'begin') return this.#begin(statement);
    if (text === 'rollback' && this.#isUndone()) return { command: 'ROLLBACK', rowCount: 0, rows: [] };
    if (this.#failed) throw storageFailed('the database of the service has lost its connection');
    this.#checkNode();
    if (this.#isInTransaction && isWrite(text)) {
      this.#held.push(statement);
      return NO_RESULT_YET;
    }
    if (text === 'commit' || text === 'rollback') this.#isInTransaction = false;
    return this.#send(statement);
  }

  release(): void {
    this.#client.off('error', this.#onError);
    this.#client.release(this.#failed);
  }

  #begin(statement: Statement): typeof NO_RESULT_YET {
    this.#isInTransaction = true;
    this.#held = [statement];
    return NO_RESULT_YET;
  }

  /**
   * Whether there is nothing to roll back, because the connection has failed or the begin was never sent. Drops the statements
   * held back.
   */
  #isUndone(): boolean {
    const isUnsent = this.#held[0]?.text === 'begin';
    this.#held = [];
    if (isUnsent) this.#isInTransaction = false;
    return this.#failed || isUnsent;
  }

  /** Sends the statements held back and then this one. Throws the first error, which causes those that follow. */
  async #send(last: Statement): Promise<unknown> {
    const statements = [...this.#held, last];
    this.#held = [];
    const answers = statements.map(({ text, parameters }) => this.#client.query(text, parameters));
    const told = await Promise.allSettled(answers);
    const refused = told.filter((each) => each.status === 'rejected').map(({ reason }) => reason as unknown);
    if (!refused.length) return answers.at(-1);
    this.#failed ||= refused.some(isEnding) || (statements[0]?.text === 'begin' && told[0]?.status === 'rejected');
    const [error] = refused;
    throw toServiceError(
      last.text === 'commit' && this.#failed ? new OutcomeUnknownError('no answer to a commit', { cause: error }) : error,
    );
  }

  /** If this node is refused, marks the connection as failed. The server rolls back and releases locks when it is closed. */
  #checkNode(): void {
    try {
      this.#check();
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  readonly #onError = (): void => {
    this.#failed = true;
  };
}

/** Whether the connection has failed: an error that is not from the server is one of the connection. */
function isEnding(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return !(error instanceof pg.DatabaseError) || ENDING.some((start) => code.startsWith(start));
}

/** Converts an error of the database to a `ServiceError`. Returns it unchanged if it is a defect of Platen. */
function toServiceError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError))
    return storageFailed('the database of the service cannot be reached, or does not answer', error);
  const { code = '' } = error;
  if (code === NUL_CHARACTER) return invalidRequest([{ path: '', message: 'must not contain the character U+0000' }]);
  const what = STORAGE_FAULTS[code] ?? STORAGE_FAULTS[code.slice(0, 2)];
  return what ? storageFailed(`the database of the service ${what}`, error) : error;
}
