/** The first start creates a key for the operator. */
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { startService } from '../support/service.ts';

test('creates the first key without limits', async () => {
  await using service = await startService({ PLATEN_PLANS_FILE: '' });
  const { plan, documents } = await new Client(service.url, service.key).usage();
  expect([plan, documents.limit]).toEqual(['operator', null]);
  for (const path of ['/', '/dashboard', '/docs']) expect((await fetch(service.url + path)).status).toBe(200);
});
