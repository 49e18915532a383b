/** Limits interim responses (1xx): a request in, which fails if its server sends one after the other. */
import type { ClientRequest } from 'node:http';

/** Far more than servers send. They have no body, so that no limit of bytes counts them, and a second has room for 100,000. */
const MAX_INTERIM = 100;

export function limitInterimResponses(request: ClientRequest): void {
  let received = 0;
  request.on('information', () => {
    received++;
    if (received > MAX_INTERIM) request.destroy(new Error(`the server sent more than ${MAX_INTERIM} interim responses`));
  });
}
