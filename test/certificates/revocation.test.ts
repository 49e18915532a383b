/** Requests for revocation data: limits, caching and callers that disconnect. */
import { expect, onTestFinished, test } from 'vitest';
import { Revocation, type RevocationLimits } from '../../src/certificates/revocation.ts';
import { Deadline } from '../../src/deadline.ts';
import { OutboundPolicy } from '../../src/egress/policy.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { issue } from '../support/pki.ts';
import { RevocationAuthority } from '../support/revocation-authority.ts';

const authority = await RevocationAuthority.start().then(closeAfterAll);
const root = await issue('Test CA', { isAuthority: true });
authority.issuer = root;

function revocation(limits: RevocationLimits): Revocation {
  const outboundAllow = new URL(authority.origin).host;
  const policy = new OutboundPolicy({ outbound: 'public', outboundAllow, outboundDeny: '', outboundPorts: [], dnsServers: [] });
  return new Revocation(policy, limits);
}

test('fetches a CRL once for all certificates, and limits the size of all CRLs together', async () => {
  using deadline = new Deadline(60_000);
  const crlUrl = authority.at('/list');
  const own = [await issue('Ada', { issuer: root, crlUrl }), await issue('Bob', { issuer: root, crlUrl }), root].map(
    ({ der }) => der,
  );
  const collect = (maxBytes: number) => {
    const checker = revocation({ maxBytes });
    onTestFinished(() => checker.close());
    return checker.collect('a', { own, others: [] }, deadline);
  };
  const { crls } = await collect(10_000);
  expect(crls).toHaveLength(1);
  expect(authority.requestedPaths).toEqual(['/list']);
  await expect(collect(100)).rejects.toMatchObject({
    code: 'revocation_failed',
    message: expect.stringContaining('100 bytes in all'),
  });
});

test('reuses a response for a limited time, and only while it is valid', async () => {
  using deadline = new Deadline(60_000);
  const own = [await issue('Ada', { issuer: root, ocspUrl: authority.at('/ocsp') }), root].map(({ der }) => der);
  const requestsWith = async (keepMs: number) => {
    const checker = revocation({ keepMs });
    const before = authority.requestedPaths.length;
    const first = await checker.collect('a', { own, others: [] }, deadline);
    const second = await checker.collect('b', { own, others: [] }, deadline);
    checker.close();
    return {
      asked: authority.requestedPaths.length - before,
      same: second.ocspResponses[0]?.equals(first.ocspResponses[0] as Buffer),
    };
  };
  expect(await requestsWith(60_000)).toEqual({ asked: 1, same: true });
  expect((await requestsWith(0)).asked).toBe(2);
  authority.faults.set('/ocsp', 'ending');
  expect((await requestsWith(60_000)).asked).toBe(2);
  authority.faults.clear();
});

test('stops waiting for a silent issuer when the client disconnects', async () => {
  const checker = revocation({});
  authority.faults.set('/list', 'silent');
  const client = new AbortController();
  using leaving = new Deadline(60_000, client.signal);
  const before = authority.requestedPaths.length;
  const own = [await issue('Ada', { issuer: root, crlUrl: authority.at('/list') }), root].map(({ der }) => der);
  const pending = checker.collect('a', { own, others: [] }, leaving);
  pending.catch(() => {});
  await authority.waitForRequests(before + 1);
  client.abort();
  await expect(pending).rejects.toMatchObject({ code: 'client_closed' });
  checker.close();
});
