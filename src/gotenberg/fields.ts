/** The form fields of conversions and screenshots, as of Gotenberg 8 and 9: the text of a field in, its value and our option out. */
import { ALL_CHANGES } from './pdf-fields.ts';
import {
  type Field,
  type Fields,
  flag,
  json,
  number,
  parseChoice,
  quote,
  readFlag,
  readList,
  readObject,
  readText,
  secretJson,
  text,
  unparsable,
} from './read-field.ts';

const UNITS_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** For what Gotenberg leaves out by default: clients send every default, and `false` must contradict nothing. */
const flagIfTrue = (option: string): Field => ({ read: (given) => readFlag(given) || undefined, option });
const inches = (option: string): Field => ({ read: readInches, option });

const LOADING: Fields = {
  waitDelay: { read: readDuration, option: 'waitForTimeout' },
  waitForSelector: text('waitForSelector'),
  waitForExpression: text('waitForFunction'),
  waitWindowStatus: text(),
  emulatedMediaType: text('mediaType'),
  emulatedMediaFeatures: json(readMediaFeatures, 'colorScheme'),
  cookies: secretJson(readCookies),
  userAgent: text('userAgent'),
  extraHttpHeaders: secretJson(readHeaders),
  failOnHttpStatusCodes: json(readStatuses),
  failOnResourceHttpStatusCodes: json(readStatuses),
  ignoreResourceHttpStatusDomains: json(readDomains),
  failOnResourceLoadingFailed: flag('failOnResourceError'),
  // as a warning, because it names all exceptions
  failOnConsoleExceptions: { read: (given) => (readFlag(given) ? ['console_error'] : undefined), option: 'failOnWarning' },
  skipNetworkIdleEvent: flag(),
  skipNetworkAlmostIdleEvent: flag(),
  omitBackground: flag('omitBackground'),
};

export const PDF_FIELDS: Fields = {
  ...LOADING,
  ...ALL_CHANGES,
  singlePage: flag('singlePage'),
  paperWidth: inches('width'),
  paperHeight: inches('height'),
  paperSize: text('format'),
  marginTop: inches('margin.top'),
  marginRight: inches('margin.right'),
  marginBottom: inches('margin.bottom'),
  marginLeft: inches('margin.left'),
  preferCssPageSize: flag('preferCSSPageSize'),
  printBackground: flag('printBackground'),
  landscape: flag('landscape'),
  scale: number('scale'),
  nativePageRanges: text('pageRanges'),
  nativePages: text('pageRanges'),
  generateDocumentOutline: flag('outline'),
  nativeBookmarks: flag('outline'),
  generateTaggedPdf: flagIfTrue('tagged'),
  nativeTaggedPdf: flagIfTrue('tagged'),
  nativePdfa: text(),
  nativePdfua: flag(),
  facturxConformanceLevel: text(),
  facturxDocumentType: { read: (given) => parseChoice(given, ['INVOICE']) },
  facturxVersion: { read: (given) => parseChoice(given, ['1.0']) },
};

export const SCREENSHOT_FIELDS: Fields = {
  ...LOADING,
  width: number('viewport.width'),
  height: number('viewport.height'),
  deviceScaleFactor: number('deviceScaleFactor'),
  format: text('type'),
  quality: number('quality'),
  selector: text('selector'),
  clip: flag(),
  optimizeForSpeed: flag(),
};

export const URL_FIELDS: Fields = { url: text() };

/** Parses a duration like Go's `ParseDuration`. Returns whole milliseconds. */
function readDuration(given: string): number {
  const parts = [...given.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gy)];
  if (given === '0') return 0;
  if (!parts.length || parts.map(([part]) => part).join('') !== given)
    throw unparsable(given, `time: invalid duration ${quote(given)}`);
  return Math.round(parts.reduce((sum, [, value, unit = '']) => sum + Number(value) * (UNITS_MS[unit] ?? 0), 0));
}

/** Parses a length. A number without a unit means inches. The largest paper has 200 inches, which are less than 10^5 of any unit. */
function readInches(given: string): string {
  const [, value, unit = 'in'] = /^(\d{1,9}(?:\.\d{0,40})?|\.\d{1,40})(in|cm|mm|pt|px|pc)?$/.exec(given.trim()) ?? [];
  if (value === undefined)
    throw new Error('must be a number of inches, or a length such as 72pt, 96px, 1in, 25.4mm, 2.54cm, 6pc');
  return `${value.replace(/\.$/, '')}${unit}`;
}

/** Parses a list of statuses. 499 means 400 to 499, and so on for each hundred. */
function readStatuses(value: unknown): number[] {
  const statuses = readList(value).map((status) => {
    if (Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 599) return status as number;
    throw new Error('must be a list of HTTP statuses such as [499, 503]');
  });
  const all = statuses.flatMap((status) =>
    status % 100 === 99 ? Array.from({ length: 100 }, (_, index) => status - 99 + index) : [status],
  );
  return [...new Set(all)];
}

/** Reads hosts, which may have a port or be part of a URL. */
function readDomains(value: unknown): string[] {
  return readList(value).map((given) => {
    const text = readText(given, 'a domain').trim();
    const host = URL.parse(text.includes('://') ? text : `http://${text.replace(/^\*?\./, '')}`)?.hostname;
    if (host) return host;
    throw new Error('must be a list of domains such as ["example.com"]');
  });
}

/** Returns undefined if there are none. */
function readHeaders(value: unknown): Record<string, unknown> | undefined {
  const headers = readObject(value);
  for (const [name, header] of Object.entries(headers))
    if (typeof header !== 'string') throw new Error(`has a value for ${name.slice(0, 64)} that is not a text`);
  return Object.keys(headers).length ? headers : undefined;
}

const COOKIE_MEMBERS = ['name', 'value', 'domain', 'path', 'secure', 'httpOnly', 'sameSite'];

/** Returns undefined if there are none. */
function readCookies(value: unknown): Array<Record<string, unknown>> | undefined {
  const cookies = readList(value).map((cookie) => readCookie(readObject(cookie)));
  return cookies.length ? cookies : undefined;
}

/** As in Gotenberg, case and unknown members are ignored. Clients send null and empty members for those without a value. */
function readCookie(cookie: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(cookie).flatMap(([given, member]) => {
    const name = COOKIE_MEMBERS.find((known) => known.toLowerCase() === given.toLowerCase());
    if (name === undefined || member === null || member === '') return [];
    return [[name, readCookieMember(name, member)] as const];
  });
  return Object.fromEntries(members);
}

/** A domain may have a port, which browsers ignore. */
function readCookieMember(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (name === 'domain') return value.replace(/:\d{1,5}$/, '');
  return name === 'sameSite' ? capitalize(value) : value;
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
}

/** A list of names and values, or an object of values by name. */
function readMediaFeatures(value: unknown): string | undefined {
  let scheme: string | undefined;
  for (const feature of Array.isArray(value) ? value : Object.entries(readObject(value)).map(toFeature)) {
    const { name, value: given } = readObject(feature);
    if (name === 'prefers-color-scheme') scheme = readText(given, name);
    else if (name !== 'prefers-reduced-motion' || given !== 'reduce')
      throw new Error(
        `names ${readText(name, 'name').slice(0, 64)}, but only prefers-color-scheme, and prefers-reduced-motion with the value reduce, are supported`,
      );
  }
  return scheme;
}

function toFeature([name, value]: [string, unknown]): object {
  return { name, value };
}
