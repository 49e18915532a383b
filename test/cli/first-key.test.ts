/** The first start creates a key for the operator, and says where to use it. */
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { eventually, startService } from '../support/service.ts';

test('creates the first key without limits, and prints the URLs of playground, dashboard and reference', async () => {
  await using service = await startService({ PLATEN_PLANS_FILE: '' });
  const { plan, documents } = await new Client(service.url, service.key).usage();
  expect([plan, documents.limit]).toEqual(['operator', null]);
  await eventually('the whole message', () => service.output().includes(`${service.url}/docs`));
  for (const path of ['/', '/dashboard', '/docs']) {
    expect(service.output()).toContain(`${service.url}${path}\n`);
    expect((await fetch(service.url + path)).status).toBe(200);
  }
});
