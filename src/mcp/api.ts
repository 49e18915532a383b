/** Calls the API for the MCP server: a method, a path and a body in; the reply, or an error with the API's explanation, out. */

export interface ApiAccess {
  /** For example `http://127.0.0.1:3000`. */
  url: string;
  key: string;
  signal?: AbortSignal;
}

interface Call {
  method?: 'GET' | 'POST';
  body?: object;
  accept?: string | undefined;
  prefer?: string | undefined;
}

/** The API refused a request or did not answer. The message contains the explanation of the API. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** Undefined if the API did not answer. */
  readonly status: number | undefined;
  /** The code of the error in the API, such as `insufficient_scope`. */
  readonly code: string | undefined;

  constructor(message: string, status?: number, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export async function callApi(
  { url, key, signal }: ApiAccess,
  path: string,
  { method = 'GET', body, accept, prefer }: Call = {},
): Promise<Response> {
  const response = await fetch(`${url.replace(/(?<!\/)\/+$/, '')}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      accept: accept ?? 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...(prefer && { prefer }),
    },
    ...(body && { body: JSON.stringify(body) }),
    redirect: 'error',
    ...(signal && { signal }),
  }).catch((error: Error) => {
    throw new ApiError(`the service at ${url} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  });
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as Problem;
  throw new ApiError(explain(problem, response), response.status, problem.code);
}

/** Reads a reply. Throws as soon as it exceeds `limit` bytes; `advice` is added to the error. */
export async function readBytes(response: Response, limit: number, advice: string): Promise<Buffer> {
  const refusal = () => new ApiError(`the reply has more than ${limit} bytes: ${advice}`);
  if (Number(response.headers.get('content-length')) > limit) {
    await response.body?.cancel();
    throw refusal();
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > limit) throw refusal(); // leaving the loop cancels the body
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

interface Problem {
  code?: string;
  detail?: string;
  errors?: Array<{ path: string; message: string }>;
  violations?: Array<{ rule: string; message: string; selector: string | null; remedy: string }>;
}

function explain(problem: Problem, { status, statusText }: Response): string {
  const errors = problem.errors?.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  const violations = problem.violations
    ?.map(({ rule, message, selector, remedy }) => `${rule}: ${message}${selector ? ` (${selector})` : ''} ${remedy}`)
    .join('; ');
  const why = errors || violations || problem.detail || 'no explanation';
  return `${status} ${problem.code ?? statusText}: ${why}`;
}
