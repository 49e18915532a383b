/**
 * Headers and cookies of a Gotenberg form that name the addresses they are sent to: `extraHttpHeaders` with a `scope`, and `cookies`
 * with the domain of another host than the document. Values of the form in, the target of a render out.
 */
import { RE2JS } from 're2js';
import { hasCode, invalidField, invalidRequest, renameFields } from '../errors.ts';
import { parseRenderRequest, type RenderLimits, type SourceRequest } from '../render/request/render-request.ts';

type Values = ReadonlyMap<string, unknown>;
type GivenCookie = Record<string, unknown>;
type Target = NonNullable<SourceRequest['load']['target']>;
type Cookie = Target['cookies'][number];
type ScopedHeader = NonNullable<Target['scopedHeaders']>[number];

/** An expression takes time in proportion to its length, multiplied by that of the URL. */
const MAX_SCOPES = 500;
const MAX_URL = 1_000;
const NOT_SCOPED =
  'has no scope, and without one it is sent only to the origin of url, on the routes for a url: add one such as ;scope=https://example\\.com/.*';
const NOT_FOREIGN = 'must have a domain, which is the host that gets the cookie, on routes without a url';

/** The headers and cookies for the origin of `url` itself. On other routes there must be none. Throws `invalid_request`. */
export function ownSecrets(values: Values, url: string | undefined): { extraHTTPHeaders?: object; cookies?: GivenCookie[] } {
  const headers = readHeaders(values).filter(([, { scope }]) => scope === undefined);
  const cookies = readCookies(values).filter((cookie) => !isForeign(cookie, url));
  const paths = headers.map(([name]) => `extraHttpHeaders.${name.slice(0, 64)}`);
  if (url === undefined && headers.length) throw invalidRequest(paths.map((path) => ({ path, message: NOT_SCOPED })));
  if (url === undefined && cookies.length) throw invalidField('cookies', NOT_FOREIGN);
  return {
    ...(headers.length && { extraHTTPHeaders: Object.fromEntries(headers.map(([name, { value }]) => [name, value])) }),
    ...(cookies.length && { cookies }),
  };
}

/** Adds those that name other addresses. Throws `invalid_request`. */
export function withForeignSecrets(
  target: Target | undefined,
  values: Values,
  url: string | undefined,
  limits: RenderLimits,
): Target | undefined {
  const scopedHeaders = readScopedHeaders(values, limits);
  const cookies = readCookies(values).flatMap((cookie, index) =>
    isForeign(cookie, url) ? foreignCookie(cookie, index, limits) : [],
  );
  if (!scopedHeaders.length && !cookies.length) return target;
  const own = target ?? { origin: URL.parse(url ?? '')?.origin, headers: {}, cookies: [], credentials: undefined };
  return { ...own, cookies: [...own.cookies, ...cookies], scopedHeaders };
}

function readHeaders(values: Values): Array<[name: string, header: { value: string; scope: string | undefined }]> {
  return Object.entries((values.get('extraHttpHeaders') ?? {}) as object).map(([name, given]) => {
    const parts = String(given).split(';');
    const scope = parts.find(isScope)?.trim().slice('scope='.length);
    return [name, { value: scope === undefined ? String(given) : parts.filter((part) => !isScope(part)).join(';'), scope }];
  });
}

function isScope(part: string): boolean {
  return part.trim().startsWith('scope=');
}

function readCookies(values: Values): GivenCookie[] {
  return (values.get('cookies') ?? []) as GivenCookie[];
}

/** Whether the cookie names a host to which the document at `url` does not belong, or also other hosts below its own domain. */
function isForeign({ domain }: GivenCookie, url: string | undefined): boolean {
  if (typeof domain !== 'string') return false;
  const host = URL.parse(url ?? '')?.hostname;
  const bare = domain.toLowerCase().replace(/^\./, '');
  return host !== bare && (domain.startsWith('.') || !host?.endsWith(`.${bare}`));
}

function readScopedHeaders(values: Values, limits: RenderLimits): ScopedHeader[] {
  const scoped = readHeaders(values).filter(([, { scope }]) => scope !== undefined);
  const total = scoped.reduce((sum, [, { scope = '' }]) => sum + scope.length, 0);
  if (total > MAX_SCOPES)
    throw invalidField('extraHttpHeaders', `has scopes of ${total} characters; at most ${MAX_SCOPES} are allowed in total`);
  const headers = Object.fromEntries(scoped.map(([name, { value }]) => [name, value.trim()]));
  if (scoped.length) parseRenderRequest({ url: ANY_URL, options: { extraHTTPHeaders: headers } }, limits);
  return scoped.map(([name, { value, scope = '' }]) => ({ name, value: value.trim(), matches: createMatcher(name, scope) }));
}

const ANY_URL = 'http://localhost/';

function createMatcher(name: string, scope: string): (url: string) => boolean {
  const invalid = (reason: string) => invalidField('extraHttpHeaders', `has a scope for ${name.slice(0, 64)} that ${reason}`);
  if (/\{\d/.test(scope)) throw invalid('repeats with {n}, which is not supported');
  try {
    const expression = RE2JS.compile(scope);
    return (url) => url.length <= MAX_URL && expression.matcher(url).find();
  } catch {
    throw invalid('is not a regular expression without lookaround and back references');
  }
}

/** Validates the cookie as one for its own host. */
function foreignCookie(cookie: GivenCookie, index: number, limits: RenderLimits): Cookie[] {
  const domain = String(cookie.domain).toLowerCase();
  const url = `https://${domain.replace(/^\./, '')}/`;
  try {
    const parsed = parseRenderRequest({ url, options: { cookies: [cookie] } }, limits).load.target?.cookies ?? [];
    return parsed.map((each) => ({ ...each, domain, secure: cookie.secure === true }));
  } catch (error) {
    if (!hasCode(error, 'invalid_request')) throw error;
    const path = (each: string) =>
      each === 'url' ? `cookies[${index}].domain` : each.replace('options.cookies[0]', `cookies[${index}]`);
    throw renameFields(error, path);
  }
}
