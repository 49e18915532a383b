/** Reads the credentials of Gotenberg clients: a request in, its API key out. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { readBearer } from '../http/server/authenticate.ts';
import { requestOrigin } from '../http/server/origin.ts';

/** `defaultKey` is the key of requests without credentials. Empty if they have none. The function throws `unauthorized`. */
export function createCredentialReader(defaultKey: string): (request: FastifyRequest) => string | undefined {
  return (request) => {
    const { authorization, 'x-api-key': apiKey } = request.headers;
    const secret = readBearer(request) ?? (authorization === undefined ? apiKey : undefined);
    if (secret !== undefined) return String(secret);
    // A browser adds Basic credentials by itself once it has asked for them.
    if ((defaultKey || authorization !== undefined) && isOfAnotherSite(request))
      throw new ServiceError(
        'unauthorized',
        'a web page of another site can use neither the default key of this server nor Basic credentials; send a valid API key as `Authorization: Bearer plt_...` or in `X-Api-Key`',
      );
    return authorization === undefined ? defaultKey || undefined : readBasic(authorization);
  };
}

/**
 * Whether a web page of another site sends the request, which any page can do with a form. Browsers send `Sec-Fetch-Site` only to
 * HTTPS and to their own machine (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header), and `Origin` with every `POST`.
 */
function isOfAnotherSite(request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'cross-site';
  return origin !== undefined && origin !== requestOrigin(request);
}

/** The key is the password, or the user name if there is no password. */
function readBasic(authorization: string): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [name = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':');
  return password.join(':') || name;
}
