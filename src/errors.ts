/**
 * Every way in which a request can fail, as one closed union. All modules throw `ServiceError` with a code; only
 * `http/server/problem.ts` knows which HTTP status a code has.
 */
import type { EXPLANATIONS } from './error-explanations.ts';

export type ErrorCode = keyof typeof EXPLANATIONS;

/** One error in a request: the path of the field (`options.margin.top`, empty for the whole body) and what is wrong with it. */
export interface FieldError {
  path: string;
  message: string;
  /** The place within the data of a template, as a JSON Pointer. */
  pointer?: string;
  /** The normalized form of a password. Only the sender gets it; it is neither logged nor stored. */
  normalized?: string;
}

/** What is said of an unknown field, before advice. */
export const UNKNOWN_FIELD = 'there is no such field';

/**
 * What of a render an error is about, if a field of the request says so. The folders below `render` do not know its name: they write
 * `{option}` where it belongs, and `render` fills it in.
 */
export type Subject =
  | 'waited_selector'
  | 'waited_function'
  | 'waited_time'
  | 'captured_selector'
  | 'added_style'
  | 'added_script'
  | 'failing_status'
  | 'failing_resource'
  | 'failing_console'
  | 'single_page'
  | 'form_fields'
  | 'conformance'
  | 'contents_place'
  | 'contents_selector'
  | 'header'
  | 'footer'
  | 'page_header'
  | 'page_footer';

interface ErrorExtras {
  about?: Subject | undefined;
  /** Members to add to the problem document. They must not hold secrets or data of another customer. */
  members?: Record<string, unknown>;
  /** Seconds the client should wait before it tries again. */
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
  /** Whether the detail consists of our words, numbers and names of options, so that logs may keep it. By default, the code decides. */
  isPlain?: boolean | undefined;
  /** What the operator can set so that the request succeeds. Only the operator may learn it: see `forOperator`. */
  remedy?: string | undefined;
}

export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly code: ErrorCode;
  readonly members: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;
  readonly remedy: string | undefined;
  readonly about: Subject | undefined;
  readonly isPlain: boolean | undefined;

  /** `detail` is written for the client: it names the field, its valid values, or what to do next. */
  constructor(code: ErrorCode, detail: string, extras: ErrorExtras = {}) {
    super(detail, { cause: extras.cause });
    this.code = code;
    this.members = extras.members ?? {};
    this.retryAfterSeconds = extras.retryAfterSeconds;
    this.remedy = extras.remedy;
    this.about = extras.about;
    this.isPlain = extras.isPlain;
  }

  /** The same error with another detail, and with other extras if there are any. */
  reword(detail: string, extras: ErrorExtras = {}): ServiceError {
    return new ServiceError(this.code, detail, { ...this, cause: this.cause, ...extras });
  }
}

/** The error as the operator reads it: with the setting that would help. */
export function forOperator(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.remedy === undefined) return error;
  return error.reword(`${error.message}; ${error.remedy}`, { remedy: undefined });
}

/** The first errors are enough to find the mistake, and a reply must not be many times as large as its request. */
const MAX_ERRORS = 100;
/** Names come from the request, and can be as long as it is. */
const MAX_PATH = 256;

/** The request is not valid. The client gets a 400 that lists the errors that were found, at most 100. */
export function invalidRequest(found: FieldError[]): ServiceError {
  const errors = found.slice(0, MAX_ERRORS).map((error) => ({ ...error, path: shorten(error.path) }));
  const [first] = errors;
  const where = first?.path ? `${first.path}: ` : '';
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : '';
  return new ServiceError('invalid_request', `${where}${first?.message ?? 'invalid'}${more}`, { members: { errors } });
}

/** The errors of `invalid_request`, by field. */
export function fieldErrors({ members }: ServiceError): FieldError[] {
  return Array.isArray(members.errors) ? (members.errors as FieldError[]) : [];
}

/** The same `invalid_request` about fields of other names. */
export function renameFields(error: ServiceError, toName: (path: string) => string): ServiceError {
  return invalidRequest(fieldErrors(error).map((each) => ({ ...each, path: toName(each.path) })));
}

/** Names the object before the fields that errors are about. */
export function errorsWithin(name: string, error: ServiceError): FieldError[] {
  return fieldErrors(error).map(({ path, message }) => ({ path: [name, path].filter(Boolean).join('.'), message }));
}

export function invalidField(path: string, message: string): ServiceError {
  return invalidRequest([{ path, message }]);
}

function shorten(path: string): string {
  return path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
}

/** The queue is full. `what` names it: `too many renders are waiting`. */
export function queueFull(what: string, retryAfterSeconds: number): ServiceError {
  const detail = `${what}; try again in ${retryAfterSeconds} s`;
  return new ServiceError('queue_full', detail, { retryAfterSeconds, members: { retry_after: retryAfterSeconds } });
}

export function messageWithCause({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

/** The disk or the database fails, possibly only for a moment. */
export function storageFailed(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('storage_failed', detail, { cause, retryAfterSeconds: 30 });
}

export function hasCode(error: unknown, ...codes: ErrorCode[]): error is ServiceError {
  return error instanceof ServiceError && codes.includes(error.code);
}

/** The settings are not valid. The message lists every problem on its own line, with the remedy. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** A command of the operator did nothing. The message says why and what to do. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** A feature needs an optional package that is not installed. */
export class MissingPackageError extends Error {}

/** For `import(...).catch(...)` of optional peer dependencies: large libraries that few deployments use. */
export function explainMissing(packages: string, feature: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' && packages.split(' ').some((name) => error.message.includes(name));
    throw isMissing
      ? new MissingPackageError(`${feature} requires packages that are not installed: npm install -g ${packages}`)
      : error;
  };
}
