/** Reads the credentials of Gotenberg clients: a request in, its API key out. */
import type { FastifyRequest } from 'fastify';
import { bearerOf } from '../authenticate.ts';

/** `defaultKey` is the key of requests without credentials. Empty if they have none. */
export function credentialsOf(defaultKey: string): (request: FastifyRequest) => string | undefined {
  return (request) => {
    const { authorization, 'x-api-key': apiKey } = request.headers;
    if (authorization !== undefined) return bearerOf(request) ?? basicOf(authorization);
    if (apiKey !== undefined) return String(apiKey);
    return defaultKey || undefined;
  };
}

/** The key is the password, or the user name if there is no password. */
function basicOf(authorization: string): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [name = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':');
  return password.join(':') || name;
}
