/** Requests to a time stamp authority are limited, and shared between owners. */
import { expect, test } from 'vitest';
import { TimeStamps } from '../../src/certificates/time-stamps.ts';
import { Deadline } from '../../src/deadline.ts';
import { OwnerQueue } from '../../src/queue/owner-queue.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { issue } from '../support/pki.ts';
import { TimeStampAuthority } from '../support/time-stamp-authority.ts';

const IMPRINT = Buffer.alloc(32, 7);

const authority = await TimeStampAuthority.start(await issue('Test CA', { isAuthority: true })).then(closeAfterAll);

test('does not block other requests while the authority does not respond', async () => {
  const stamps = new TimeStamps({ url: authority.url, queue: new OwnerQueue({ capacity: 1, reserved: 1, limit: 0 }) });
  const client = new AbortController();
  using leaving = new Deadline(60_000, client.signal);
  using deadline = new Deadline(60_000);
  authority.fault = 'silent';
  const { promise: received, resolve } = Promise.withResolvers<void>();
  authority.onRequest = resolve;
  const pending = stamps.stamp('a', IMPRINT, leaving);
  pending.catch(() => {});
  await received;
  authority.fault = undefined;
  await expect(stamps.stamp('a', IMPRINT, deadline)).rejects.toMatchObject({ code: 'queue_full' });
  client.abort();
  await expect(pending).rejects.toMatchObject({ code: 'client_closed' });
  expect((await stamps.stamp('a', IMPRINT, deadline)).length).toBeGreaterThan(500);
});
