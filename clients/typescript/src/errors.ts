/** The errors with which a call can fail. */
import type { ErrorCode } from './api.ts';

/** The body of an error: `application/problem+json`, RFC 9457. Some codes add members, such as `limit`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  request_id: string;
  /** The invalid members of the request, each with its path. */
  errors?: { path: string; message: string }[];
  [member: string]: unknown;
}

/** The service answered with an error. */
export class PlatenError extends Error {
  override readonly name = 'PlatenError';
  readonly problem: Problem;
  /** Seconds to wait before sending the request again, if the service sent `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(problem: Problem, retryAfter?: number) {
    const faults = problem.errors?.map(({ path, message }) => `${path}: ${message}`) ?? [];
    super(faults.length > 1 ? faults.join('; ') : problem.detail); // `detail` names only the first of several
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  get status(): number {
    return this.problem.status;
  }

  /** A stable name in snake_case, such as `quota_exceeded`. */
  get code(): ErrorCode {
    return this.problem.code;
  }

  get requestId(): string {
    return this.problem.request_id;
  }
}

/** The service could not be reached, or the connection was lost. `cause` is the error of `fetch`. */
export class PlatenConnectionError extends Error {
  override readonly name = 'PlatenConnectionError';
}

/** The signature of a webhook does not match its body, or the webhook is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** Returns the error that a response reports. A proxy may have answered in place of the service, with a body of its own. */
export async function errorOf(response: Response): Promise<PlatenError> {
  const text = await response.text().catch(() => '');
  return new PlatenError({ ...standIn(response, text), ...parsed(text) }, retryAfterOf(response));
}

function standIn({ status, headers }: Response, text: string): Problem {
  return {
    type: 'about:blank',
    title: `HTTP ${status}`,
    status,
    detail: text.slice(0, 200) || `The service answered with status ${status}.`,
    code: status >= 500 ? 'internal_error' : 'invalid_request',
    request_id: headers.get('x-request-id') ?? '',
  };
}

function parsed(text: string): Partial<Problem> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'code' in value ? (value as Partial<Problem>) : {};
  } catch {
    return {};
  }
}

function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
  return Number.isNaN(seconds) ? undefined : seconds;
}
