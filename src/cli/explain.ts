/** Explains the error with which a command ended: one line if the user can correct it, and the stack trace for a defect of Platen. */
import { PlansError } from '../accounts/plans.ts';
import { loadConfig } from '../config.ts';
import { CommandError, ConfigError, fieldErrors, MissingPackageError, messageWithCause, ServiceError } from '../errors.ts';

/** The low bytes of the result codes CORRUPT and NOTADB; see https://sqlite.org/rescode.html. */
const DAMAGED = [11, 26];
export const UNUSABLE =
  'check that the folder and its files belong to this user, that the disk has space, and that Platen wrote the database';

/** A command cannot start because of its arguments: exit status 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const ofDatabase = [error, error.cause].find(isOfSqlite);
  if (ofDatabase) return explainSqlite(ofDatabase);
  const expected =
    error instanceof ServiceError ||
    error instanceof UsageError ||
    error instanceof MissingPackageError ||
    error instanceof ConfigError ||
    error instanceof PlansError ||
    error instanceof CommandError ||
    'errno' in error ||
    'syscall' in error;
  return expected ? listErrors(error) + remedyOf(error) : String(error.stack);
}

/** All fields of a request that are wrong, a line for each. */
function listErrors(error: Error): string {
  const errors = error instanceof ServiceError ? fieldErrors(error) : [];
  return errors.length > 1
    ? errors.map(({ path, message }) => [path, message].filter(Boolean).join(': ')).join('\n')
    : messageWithCause(error);
}

function remedyOf(error: Error): string {
  const isListening = 'syscall' in error && error.syscall === 'listen';
  return isListening ? '; PLATEN_HOST and PLATEN_PORT set another address and port' : '';
}

interface SqliteError extends Error {
  errcode: number;
}

/** Whether the error, or its cause, says that the database file is damaged or no database. */
export function isDamaged(error: unknown): boolean {
  const found = [error, (error as Error).cause].find(isOfSqlite);
  return found !== undefined && DAMAGED.includes(found.errcode & 0xff);
}

function isOfSqlite(error: unknown): error is SqliteError {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}

function explainSqlite({ errcode, message }: SqliteError): string {
  const { dataDir } = loadConfig().app;
  if (DAMAGED.includes(errcode & 0xff))
    return `the database in ${dataDir} is damaged (${message}): restore a backup into a new folder, as docs/operate/backups.md shows`;
  return `the database in ${dataDir} cannot be used (${message}): ${UNUSABLE}`;
}
