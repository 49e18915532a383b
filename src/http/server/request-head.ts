/** Refuses ambiguous request lines and headers, which a proxy could interpret differently. */
import type { IncomingMessage } from 'node:http';
import { invalidField, ServiceError } from '../../errors.ts';

const VERSIONS = ['1.1', '1.0'];
/** Matches the host and port of a URL (RFC 3986, 3.2.2 and 3.2.3), or an empty value (RFC 9112, 3.2). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/** Throws `http_version_not_supported`, `invalid_request`, `not_implemented`, `expectation_failed`. */
export function checkHead(request: IncomingMessage): void {
  checkVersion(request);
  checkHost(request);
  checkTransferEncoding(request);
  checkExpectation(request);
}

/** A request line without a version is HTTP/0.9, whose replies have neither headers nor a status. */
function checkVersion({ httpVersion }: IncomingMessage): void {
  if (VERSIONS.includes(httpVersion)) return;
  throw new ServiceError('http_version_not_supported', `HTTP/${httpVersion} is not supported; use HTTP/1.1`);
}

function checkHost({ httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.0') return;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts !== 1) throw invalidField('Host', `must be sent once, and was sent ${hosts} times`);
  if (!HOST.test(headers.host ?? '')) throw invalidField('Host', 'must be a host with an optional port');
}

function checkTransferEncoding({ httpVersion, headers }: IncomingMessage): void {
  const encoding = headers['transfer-encoding'];
  if (encoding === undefined) return;
  if (httpVersion === '1.0')
    throw invalidField('Transfer-Encoding', 'cannot be sent with HTTP/1.0; use HTTP/1.1 or Content-Length');
  if (encoding.trim().toLowerCase() !== 'chunked') throw unknownTransferEncoding();
}

function checkExpectation({ httpVersion, headers: { expect } }: IncomingMessage): void {
  if (expect === undefined || httpVersion === '1.0' || expect.toLowerCase() === '100-continue') return;
  throw new ServiceError('expectation_failed', 'the only supported Expect is 100-continue');
}

export function unknownTransferEncoding(): ServiceError {
  return new ServiceError('not_implemented', 'the only supported Transfer-Encoding is chunked');
}
