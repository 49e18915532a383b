/** Calls the API of the service. */

/** An `application/problem+json` reply (RFC 9457). */
export interface ProblemBody {
  status: number;
  code: string;
  title: string;
  detail?: string;
  request_id?: string;
  errors?: Array<{ path: string; message: string }>;
  /** Seconds, from the body or otherwise from the header. */
  retry_after?: number;
  /** Further members of some codes. */
  [member: string]: unknown;
}

/** A request that was answered with a problem. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly body: ProblemBody;

  constructor(body: ProblemBody) {
    super(body.detail ?? body.title);
    this.body = body;
  }
}

/** Sends a request, with a key if one is given. It has no cookies unless `init` says so. Throws `ProblemError`, and `TypeError` if there is no connection. */
export async function request(path: string, init: RequestInit = {}, key?: string): Promise<Response> {
  const headers = new Headers(init.headers);
  if (key) headers.set('authorization', `Bearer ${key}`);
  const response = await fetch(path, { credentials: 'omit', ...init, headers, cache: 'no-store' });
  if (!response.ok) throw new ProblemError(await readProblem(response));
  return response;
}

async function readProblem(response: Response): Promise<ProblemBody> {
  const type = response.headers.get('content-type') ?? '';
  const wait = Number(response.headers.get('retry-after') || Number.NaN);
  const retry = Number.isFinite(wait) ? { retry_after: wait } : {};
  if (type.includes('json')) return { ...retry, ...((await response.json()) as ProblemBody) };
  return { status: response.status, code: 'unknown', title: `The service answered ${response.status}` };
}
