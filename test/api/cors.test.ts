/** CORS: only pages of the origins in the settings may call the API. */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { ConfigError } from '../../src/errors.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { startService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const ORIGIN = 'https://app.example.com';

const service = await startService({ PLATEN_CORS_ORIGINS: `${ORIGIN}, http://localhost:5173` }).then(closeAfterAll);

const preflight = (path: string, origin: string, to = service.url) =>
  fetch(to + path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' },
  });
const pdf = (origin: string, key = service.key) =>
  fetch(`${service.url}/v1/pdf`, {
    method: 'POST',
    headers: { origin, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"html": "x"}',
  });
const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin');

test.each([ORIGIN, 'http://localhost:5173'])('allows requests from a page of %s', async (origin) => {
  const preflightReply = await preflight('/v1/pdf', origin);
  expect([
    preflightReply.status,
    allowed(preflightReply),
    preflightReply.headers.get('access-control-allow-credentials'),
  ]).toEqual([204, origin, null]);
  expect(preflightReply.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization, content-type');
  expect(preflightReply.headers.get('access-control-allow-methods')).toContain('POST');
  const reply = await pdf(origin);
  expect([reply.status, allowed(reply), reply.headers.get('vary')]).toEqual([200, origin, 'Origin']);
  const exposed = (reply.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
  const own = [...reply.headers.keys()].filter((name) => /^(?:platen-|x-request|server-|content-disp)/.test(name));
  expect(own.length).toBeGreaterThan(3);
  expect(exposed).toEqual(expect.arrayContaining(own));
});

test('lets the page read error responses', async () => {
  const reply = await pdf(ORIGIN, 'plt_wrong');
  expect([reply.status, allowed(reply)]).toEqual([401, ORIGIN]);
});

test.each([
  'https://app.example.com.evil.example',
  'http://app.example.com',
  'https://app.example.com:8443',
  'null',
  'https://APP.example.com',
])('refuses requests from a page of %s', async (origin) => {
  const preflightReply = await preflight('/v1/pdf', origin);
  expect([preflightReply.status, allowed(preflightReply)]).toEqual([405, null]);
  expect(allowed(await pdf(origin))).toBeNull();
});

describe('outside of the API', () => {
  test.each(['/metrics', '/healthz', '/', '/v1'])('sends no CORS headers for %s', async (path) => {
    const reply = await fetch(service.url + path, { headers: { origin: ORIGIN } });
    expect(allowed(reply)).toBeNull();
  });

  test('sends no CORS headers for unknown paths or for OPTIONS that are not a preflight', async () => {
    expect((await fetch(`${service.url}/v1/nothing`, { headers: { origin: ORIGIN } })).status).toBe(404);
    const plain = await fetch(`${service.url}/v1/pdf`, { method: 'OPTIONS', headers: { origin: ORIGIN } });
    expect([plain.status, plain.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

test('sends no CORS headers without the setting', async () => {
  const { url } = await sharedService();
  const preflightReply = await preflight('/v1/pdf', ORIGIN, url);
  expect([preflightReply.status, allowed(preflightReply), preflightReply.headers.get('vary')]).toEqual([405, null, null]);
});

test.each(['*', 'https://app.example.com/', 'app.example.com', 'null', 'https://*.example.com', 'ftp://a.example'])(
  'refuses to start with %s',
  (PLATEN_CORS_ORIGINS) => expect(() => loadConfig({ PLATEN_CORS_ORIGINS })).toThrow(ConfigError),
);
