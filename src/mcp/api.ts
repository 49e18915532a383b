/** The API as the MCP server uses it: a method, a path and a body in, the reply out, or an error that says what the API said. */

/** What a service allows its caller, and where it is. */
export interface ApiAccess {
  /** Such as `http://127.0.0.1:3000`. */
  url: string;
  key: string;
}

interface Call {
  method?: 'GET' | 'POST';
  body?: object;
  accept?: string;
}

/** Whatever the API refuses, in its words. */
export class ApiError extends Error {
  override name = 'ApiError';
}

export async function callApi(
  { url, key }: ApiAccess,
  path: string,
  { method = 'GET', body, accept }: Call = {},
): Promise<Response> {
  const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      accept: accept ?? 'application/json',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    redirect: 'error',
  }).catch((error: Error) => {
    throw new ApiError(`the service at ${url} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  });
  if (response.ok) return response;
  throw new ApiError(await explanationOf(response));
}

async function explanationOf(response: Response): Promise<string> {
  const problem = (await response.json().catch(() => ({}))) as {
    code?: string;
    detail?: string;
    errors?: Array<{ path: string; message: string }>;
  };
  const errors = problem.errors?.map(({ path, message }) => `${path} ${message}`).join('; ');
  return `${response.status} ${problem.code ?? response.statusText}: ${errors || problem.detail || 'no explanation'}`;
}
