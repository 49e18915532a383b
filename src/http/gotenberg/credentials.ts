/** Who calls, as clients of Gotenberg say it: a request in, the API key it stands for out. */
import type { FastifyRequest } from 'fastify';
import { bearerOf } from '../authenticate.ts';

/** `usual` is the key of requests without credentials; empty: they have none. */
export function credentialsOf(usual: string): (request: FastifyRequest) => string | undefined {
  return (request) => {
    const { authorization, 'x-api-key': apiKey } = request.headers;
    if (authorization !== undefined) return bearerOf(request) ?? basicOf(authorization);
    if (apiKey !== undefined) return String(apiKey);
    return usual || undefined;
  };
}

/** The key is the password, or the name where there is none. */
function basicOf(authorization: string): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const [name = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':');
  return password.join(':') || name;
}
