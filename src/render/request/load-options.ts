/** Options for loading a document: the caller's options in, the load settings of a page out. */
import { Script } from 'node:vm';
import {
  type Cookie,
  ERROR_STATUSES,
  type FailingStatus,
  type LoadSettings,
  type SelectorWait,
  type Target,
} from '../../chromium/load/load-settings.ts';
import { connectionHeaders } from '../../webhooks/connection-headers.ts';
import { parseAdded, parseDevice } from './device-options.ts';
import { parseUrl } from './parse-url.ts';
import { COOKIE_PATTERNS, type PdfOptions, type PdfRequestBody } from './schemas/options-schema.ts';
import type { WarningKind } from './schemas/warnings.ts';
import type { ValidationErrors } from './values/validation-errors.ts';

/** What PDFs and images have in common. */
export interface Loading {
  /** The base URL of relative URLs in markup. */
  baseUrl: string | undefined;
  load: LoadSettings;
  /** The time limit for the whole render, including the wait in the queue. */
  timeoutMs: number;
  /** Kinds of warnings that make the render fail. */
  failOnWarning: WarningKind[];
}

export interface TimeLimits {
  renderTimeoutMs: number;
  maxRenderTimeoutMs: number;
}

type GivenCookie = NonNullable<PdfOptions['cookies']>[number];

const TOKEN = new RegExp(COOKIE_PATTERNS.name);
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const COOKIE = { value: new RegExp(COOKIE_PATTERNS.value), path: new RegExp(COOKIE_PATTERNS.path) };
/** DevTools uses this value for a cookie that ends with its session. */
const SESSION = -1;
/** Headers that control the connection or identify its ends. Only the browser may set them. */
const NOT_FOR_CALLERS = connectionHeaders('sec-.*');
const MAX_HEADERS = 50;
const SECRETS = ['cookies', 'extraHTTPHeaders', 'authenticate'] as const;

export function parseLoading(
  { url, options = {} }: Pick<PdfRequestBody, 'url' | 'options'>,
  limits: TimeLimits,
  errors: ValidationErrors,
): Loading {
  const baseUrl = parseBaseUrl(options.baseUrl, url, errors);
  const address = url === undefined ? baseUrl : URL.parse(url);
  return {
    baseUrl: baseUrl?.href,
    load: {
      waitUntil: options.waitUntil ?? 'finished',
      finishesAnimations: options.animations !== 'run',
      waitForSelector: parseSelector(options.waitForSelector, errors),
      waitForFunction: parseFunction(options.waitForFunction, errors),
      waitForTimeoutMs: parseWait(options, limits, errors),
      resourceTimeoutMs: atMost('resourceTimeout', options.resourceTimeout, limits, errors),
      device: parseDevice(options, errors),
      added: parseAdded(options, errors),
      target: parseTarget(options, address ?? undefined, errors),
      failsOn: {
        httpStatus: failingStatus(options.failOnHttpStatus),
        resourceError: options.failOnResourceError ?? false,
        consoleError: options.failOnConsoleError ?? false,
      },
      offline: false,
    },
    timeoutMs: atMost('timeout', options.timeout, limits, errors) ?? limits.renderTimeoutMs,
    failOnWarning: options.failOnWarning ?? [],
  };
}

function parseBaseUrl(given: string | undefined, url: string | undefined, errors: ValidationErrors): URL | undefined {
  if (given === undefined) return undefined;
  if (url !== undefined) errors.add('options.baseUrl', 'cannot be combined with url, which is the base of its own document');
  const base = parseUrl('options.baseUrl', given, errors);
  if (base?.username || base?.password)
    errors.add('options.baseUrl', 'must not contain a name and password: use options.authenticate');
  return base;
}

function parseSelector(given: PdfOptions['waitForSelector'], errors: ValidationErrors): SelectorWait | undefined {
  if (given === undefined) return undefined;
  const { selector, visible = false, hidden = false } = typeof given === 'string' ? { selector: given } : given;
  if (visible && hidden) errors.add('options.waitForSelector', 'cannot have both visible and hidden: send one of them');
  if (visible) return { selector, state: 'visible' };
  return { selector, state: hidden ? 'hidden' : 'attached' };
}

/** Parses the expression to check its syntax. It never runs in this process. */
function parseFunction(source: string | undefined, errors: ValidationErrors): string | undefined {
  try {
    if (source !== undefined) for (const place of [`(${source}\n)`, `async () => (${source}\n)`]) new Script(place);
  } catch (error) {
    errors.add('options.waitForFunction', `is not a JavaScript expression: ${(error as Error).message}`);
  }
  return source;
}

function atMost(
  name: 'waitForTimeout' | 'resourceTimeout' | 'timeout',
  given: number | undefined,
  { maxRenderTimeoutMs }: TimeLimits,
  errors: ValidationErrors,
): number | undefined {
  if (given !== undefined && given > maxRenderTimeoutMs)
    errors.add(`options.${name}`, `must be at most ${maxRenderTimeoutMs} ms on this server`);
  return given;
}

/** A wait that is longer than the render would only use a place of the queue until the time-out. */
function parseWait({ waitForTimeout, timeout }: PdfOptions, limits: TimeLimits, errors: ValidationErrors): number {
  const given = atMost('waitForTimeout', waitForTimeout, limits, errors) ?? 0;
  const renderTimeoutMs = timeout ?? limits.renderTimeoutMs;
  if (given >= renderTimeoutMs && given <= limits.maxRenderTimeoutMs)
    errors.add('options.waitForTimeout', `must be less than options.timeout, the ${renderTimeoutMs} ms of the whole render`);
  return given;
}

function failingStatus(given: PdfOptions['failOnHttpStatus']): FailingStatus {
  if (Array.isArray(given)) return { document: new Set([...ERROR_STATUSES, ...given]), resources: new Set(given) };
  return { document: given === false ? new Set() : ERROR_STATUSES, resources: given ? ERROR_STATUSES : new Set() };
}

function parseTarget(options: PdfOptions, address: URL | undefined, errors: ValidationErrors): Target | undefined {
  const credentials = parseCredentials(options, address, errors);
  const secrets = SECRETS.filter((name) => options[name] !== undefined);
  if (!secrets.length && !credentials) return undefined;
  if (!address) {
    for (const name of secrets) errors.add(`options.${name}`, 'requires url or options.baseUrl, whose origin alone receives it');
    return undefined;
  }
  return {
    origin: address.origin,
    headers: parseHeaders(options.extraHTTPHeaders ?? {}, errors),
    cookies: parseCookies(options.cookies ?? [], address, errors),
    credentials,
  };
}

function parseCredentials(
  { authenticate }: PdfOptions,
  address: URL | undefined,
  errors: ValidationErrors,
): Target['credentials'] {
  const fromAddress = readCredentials(address);
  if (fromAddress && authenticate)
    errors.add('options.authenticate', 'cannot be combined with a name and password in url: send only one of them');
  return authenticate ?? fromAddress;
}

function readCredentials(address: URL | undefined): Target['credentials'] {
  if (!address?.username && !address?.password) return undefined;
  return { username: decodeText(address.username), password: decodeText(address.password) };
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseHeaders(given: Record<string, string>, errors: ValidationErrors): Record<string, string> {
  const entries = Object.entries(given);
  if (entries.length > MAX_HEADERS) errors.add('options.extraHTTPHeaders', `must have at most ${MAX_HEADERS} headers`);
  for (const [name, value] of entries) {
    const path = `options.extraHTTPHeaders.${name.slice(0, 64)}`;
    if (!TOKEN.test(name)) errors.add(path, 'is not a valid header name');
    else if (NOT_FOR_CALLERS.test(name)) errors.add(path, 'cannot be set: the browser sets this header itself');
    if (!HEADER_VALUE.test(value))
      errors.add(path, 'must contain no line breaks, control characters or characters outside Latin-1');
  }
  return given;
}

function parseCookies(given: GivenCookie[], { hostname, protocol }: URL, errors: ValidationErrors): Cookie[] {
  const now = Date.now() / 1000;
  given.forEach((cookie, index) => {
    checkCookie(`options.cookies[${index}]`, cookie, errors);
    if (cookie.domain !== undefined && !isDomainOf(cookie.domain, hostname))
      errors.add(`options.cookies[${index}].domain`, `must be ${hostname}, the only host to which the cookie is sent`);
    if (cookie.secure && protocol !== 'https:')
      errors.add(`options.cookies[${index}].secure`, 'cannot be true for an http:// URL: use https://, or leave secure out');
  });
  return given
    .filter(({ expires = SESSION }) => expires === SESSION || expires > now)
    .map(({ name, value, path = '/', expires = SESSION, httpOnly = false, sameSite }) => ({
      ...{ name, value, path, expires, httpOnly },
      ...(sameSite && { sameSite }),
    }));
}

function checkCookie(at: string, { name, value, path = '/' }: GivenCookie, errors: ValidationErrors): void {
  if (!TOKEN.test(name)) errors.add(`${at}.name`, 'is not a valid cookie name');
  if (!COOKIE.value.test(value)) errors.add(`${at}.value`, 'must be printable ASCII without commas, semicolons and quotes');
  if (!COOKIE.path.test(path)) errors.add(`${at}.path`, 'must begin with / and contain no semicolon');
}

function isDomainOf(domain: string, hostname: string): boolean {
  const bare = domain.toLowerCase().replace(/^\./, '');
  return bare === hostname || hostname.endsWith(`.${bare}`);
}
