/** Starts a PostgreSQL server on a temporary folder and creates databases on it. */
import { execFile, spawn } from 'node:child_process';
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../support/free-port.ts';
import { end, eventually } from '../support/service.ts';

export interface PostgresServer {
  port: number;
  /** The folder of its Unix socket. */
  folder: string;
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Runs a statement as the superuser in a database of `createDatabase`. */
  query(url: string, text: string): Promise<Array<Record<string, unknown>>>;
  /** Stops at once, without closing connections in an orderly way. */
  kill(): Promise<unknown>;
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Debian installs the server programs here, outside of PATH. */
const VERSIONS = '/usr/lib/postgresql';

export async function startPostgres(): Promise<PostgresServer> {
  const programs = await findPrograms();
  const user = await ordinaryUser();
  const folder = await mkdtemp(join(tmpdir(), 'platen-postgres-'));
  if (user) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder };
  const initArguments = ['-D', data, '-U', 'platen', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  await promisify(execFile)(join(programs, 'initdb'), initArguments, options);
  const port = await freePort();
  const urlOf = (database: string) => `postgres://platen@127.0.0.1:${port}/${database}`;
  const launch = () =>
    spawn(join(programs, 'postgres'), ['-D', data, '-h', '127.0.0.1', '-p', `${port}`, '-k', folder, '-c', 'fsync=off'], {
      ...options,
      stdio: 'ignore',
    });
  let child = launch();
  const ready = () =>
    eventually('the PostgreSQL server answers', () => query(urlOf('postgres'), 'select 1').then(Boolean, () => false));
  await ready();
  let databases = 0;
  const kill = () => end(child, 'SIGQUIT');
  return {
    port,
    folder,
    kill,
    query,
    async createDatabase() {
      const name = `test_${++databases}`;
      await query(urlOf('postgres'), `create database ${name}`);
      return urlOf(name);
    },
    async start() {
      child = launch();
      await ready();
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function query(connectionString: string, text: string): Promise<Array<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** `PLATEN_TEST_POSTGRES_BIN` names the folder of another version's programs. */
async function findPrograms(): Promise<string> {
  if (process.env.PLATEN_TEST_POSTGRES_BIN) return process.env.PLATEN_TEST_POSTGRES_BIN;
  const [newest] = (await readdir(VERSIONS).catch(() => [])).toSorted((a, b) => Number(b) - Number(a));
  if (newest === undefined) throw new Error('there is no PostgreSQL on this machine: apt-get install postgresql');
  return join(VERSIONS, newest, 'bin');
}

/** The server refuses to run as root. */
export async function ordinaryUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(await readFile('/etc/passwd', 'utf8')) ?? ['', '65534', '65534'];
  return { uid: Number(uid), gid: Number(gid) };
}
