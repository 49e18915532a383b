/** The form fields of Gotenberg 8 and 9: the text of a field in, its value and the name of our option out. */
import { parseJson } from '../http/requests/json-body.ts';

/** Notes that a member of the value has another name in the form, so that an error can name it as it was sent. */
type Rename = (member: string, sent: string) => void;

/** Parses the text of a field. Throws an Error that says what is valid. */
type Reader = (text: string, rename?: Rename) => unknown;

export interface Field {
  read: Reader;
  /** The path within `options` that gets the value. Absent if the value is used in another way. */
  option?: string;
}

export type Fields = Readonly<Record<string, Field>>;

const MAX_VALUES = 10_000;
const UNITS_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

const text = (option?: string): Field => ({ read: (given) => given, ...(option && { option }) });
const flag = (option?: string): Field => ({ read: readFlag, ...(option && { option }) });
const number = (option: string): Field => ({ read: readNumber, option });
/** For what Gotenberg leaves out by default: clients send every default, and `false` must contradict nothing. */
const flagIfTrue = (option: string): Field => ({ read: (given) => readFlag(given) || undefined, option });
const inches = (option: string): Field => ({ read: readInches, option });
const json = (read: (value: unknown, rename: Rename) => unknown, option?: string): Field => ({
  read: (given, rename = () => {}) => read(readJson(given), rename),
  ...(option && { option }),
});

const LOADING: Fields = {
  waitDelay: { read: readDuration, option: 'waitForTimeout' },
  waitForSelector: text('waitForSelector'),
  waitForExpression: text('waitForFunction'),
  waitWindowStatus: text(),
  emulatedMediaType: text('mediaType'),
  emulatedMediaFeatures: json(readMediaFeatures, 'colorScheme'),
  cookies: json(readCookies),
  userAgent: text('userAgent'),
  extraHttpHeaders: json(readHeaders),
  failOnHttpStatusCodes: json(readStatuses),
  failOnResourceHttpStatusCodes: json(readStatuses),
  failOnResourceLoadingFailed: flag('failOnResourceError'),
  failOnConsoleExceptions: flag('failOnConsoleError'),
  skipNetworkIdleEvent: flag(),
  skipNetworkAlmostIdleEvent: flag(),
  omitBackground: flag('omitBackground'),
};

/** What a flag allows, by the names of `options.password.permissions`. */
export const PERMISSIONS: Readonly<Record<string, string[]>> = {
  allowPrinting: ['print', 'print_low'],
  allowCopying: ['copy'],
  allowModifying: ['modify'],
  allowAnnotating: ['annotate'],
  allowFillingForms: ['fill_forms'],
  allowAssembling: ['assemble'],
};

const FINISHING: Fields = {
  metadata: json(readMetadata, 'metadata'),
  embedsMetadata: json(readEmbedsMetadata),
  userPassword: text('password.user'),
  ownerPassword: text('password.owner'),
  ...Object.fromEntries(Object.keys(PERMISSIONS).map((name) => [name, flag()])),
  /** The results have no form fields. */
  flatten: flag(),
};

export const PDF_FIELDS: Fields = {
  ...LOADING,
  ...FINISHING,
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
  pdfa: text(),
  nativePdfa: text(),
  pdfua: flag(),
  nativePdfua: flag(),
  facturxConformanceLevel: text(),
  facturxDocumentType: { read: (given) => parseChoice(given, ['INVOICE']) },
  facturxVersion: { read: (given) => parseChoice(given, ['1.0']) },
  ...markFields('watermark'),
  ...markFields('stamp'),
};

/** A watermark is under the content and a stamp over it. */
function markFields(name: 'watermark' | 'stamp'): Fields {
  return {
    [`${name}Source`]: { read: (given) => parseChoice(given, ['text', 'image']) },
    [`${name}Expression`]: text(),
    [`${name}Pages`]: text(),
    [`${name}Options`]: json(readMarkOptions),
  };
}

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

/** Bookmarks are always kept. */
export const MERGE_FIELDS: Fields = { ...FINISHING, autoIndexBookmarks: flag() };

/** Values of an unused field. Clients send such fields, so unsupported fields with these values are ignored. */
export const EMPTY_VALUE = /^(?:|false|0|\[\]|\{\}|null)$/i;

/** In lower case, because the case of names does not matter to ExifTool, which Gotenberg uses. */
const METADATA: Readonly<Record<string, string>> = {
  ...{ title: 'title', author: 'author', subject: 'subject', keywords: 'keywords', creator: 'creator' },
  ...{ creationdate: 'creationDate', createdate: 'creationDate', moddate: 'modDate', modifydate: 'modDate' },
};

/** Parses a boolean like Go's `ParseBool`. */
function readFlag(given: string): boolean {
  if (/^(?:1|t|T|TRUE|true|True)$/.test(given)) return true;
  if (/^(?:0|f|F|FALSE|false|False)$/.test(given)) return false;
  throw new Error('must be true or false');
}

function readNumber(given: string): number {
  const value = Number(given);
  if (!given.trim() || !Number.isFinite(value)) throw new Error('must be a number');
  return value;
}

/** Parses a duration like Go's `ParseDuration`. Returns whole milliseconds. */
function readDuration(given: string): number {
  const parts = [...given.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gy)];
  if (given === '0') return 0;
  if (!parts.length || parts.map(([part]) => part).join('') !== given) throw new Error('must be a duration such as 2s or 500ms');
  return Math.round(parts.reduce((sum, [, value, unit = '']) => sum + Number(value) * (UNITS_MS[unit] ?? 0), 0));
}

/** Parses a length. A number without a unit means inches. The largest paper has 200 inches, which are less than 10^5 of any unit. */
function readInches(given: string): string {
  const [, value, unit = 'in'] = /^(\d{1,9}(?:\.\d{0,40})?|\.\d{1,40})(in|cm|mm|pt|px|pc)?$/.exec(given.trim()) ?? [];
  if (value === undefined)
    throw new Error('must be a number of inches, or a length such as 72pt, 96px, 1in, 25.4mm, 2.54cm, 6pc');
  return `${value.replace(/\.$/, '')}${unit}`;
}

function readJson(given: string): unknown {
  try {
    return parseJson(Buffer.from(given), (values) => {
      if (values > MAX_VALUES) throw new RangeError('too many values');
    });
  } catch {
    throw new Error('must be JSON');
  }
}

/** Go clients write null for a list without a value, and for an object. Gotenberg reads it as an empty one. */
function readList(value: unknown): unknown[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Error('must be a list, as JSON');
}

function readObject(value: unknown): Record<string, unknown> {
  if (value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error('must be an object, as JSON');
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
    return [[name, name === 'sameSite' ? capitalize(String(member)) : member] as const];
  });
  return Object.fromEntries(members);
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
}

function readMediaFeatures(value: unknown): string | undefined {
  let scheme: string | undefined;
  for (const feature of readList(value)) {
    const { name, value: given } = readObject(feature);
    if (name === 'prefers-color-scheme') scheme = String(given);
    else if (name !== 'prefers-reduced-motion' || given !== 'reduce')
      throw new Error(
        `names ${String(name).slice(0, 64)}, but only prefers-color-scheme, and prefers-reduced-motion with the value reduce, are supported`,
      );
  }
  return scheme;
}

/** Names that have no option of their own become custom entries. */
function readMetadata(value: unknown, rename: Rename): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  const custom: Array<[name: string, text: string]> = [];
  const entries = Object.entries(readObject(value)).filter(([, member]) => member !== null);
  for (const [name, member] of entries) {
    const texts = readTexts(name, member);
    const ours = Object.hasOwn(METADATA, name.toLowerCase()) ? METADATA[name.toLowerCase()] : undefined;
    if (ours) rename(ours, name);
    if (ours) metadata[ours] = readEntry(ours, texts);
    else custom.push([name, texts.join(', ')]);
  }
  return { ...metadata, ...(custom.length && { custom: Object.fromEntries(custom) }) };
}

function readEntry(name: string, texts: string[]): string | string[] {
  if (name === 'keywords' && texts.length > 1) return texts;
  return /Date$/.test(name) ? parseTime(texts.join(', ')) : texts.join(', ');
}

/** An entry is a text, a number or a boolean, or a list of these. */
function readTexts(name: string, member: unknown): string[] {
  return [member].flat().map((each) => {
    if (typeof each !== 'object') return String(each);
    throw new Error(`has a value for ${name.slice(0, 64)} that is not a text, a number, true, false or a list of these`);
  });
}

function parseChoice(given: string, values: readonly string[]): string {
  if (values.includes(given)) return given;
  throw new Error(`must be ${values.join(' or ')}`);
}

export interface EmbedFacts {
  type?: string;
  relationship?: string;
}

/** Reads the media types and relationships of attachments by the names of their files. */
function readEmbedsMetadata(value: unknown): Record<string, EmbedFacts> {
  const entries = Object.entries(readObject(value)).map(([name, given]) => {
    const { mimeType, relationship } = readObject(given);
    return [
      name,
      { ...(mimeType ? { type: String(mimeType) } : {}), ...(relationship ? { relationship: String(relationship) } : {}) },
    ];
  });
  return Object.fromEntries(entries);
}

const MARK_OPTIONS: Readonly<Record<string, 'opacity' | 'rotate' | 'color'>> = {
  ...{ opacity: 'opacity', op: 'opacity', rotation: 'rotate', rot: 'rotate' },
  ...{ color: 'color', fillcolor: 'color', fillc: 'color' },
};

/** Reads the options of a watermark, which are texts or numbers. */
function readMarkOptions(value: unknown, rename: Rename): Record<string, unknown> {
  const entries = Object.entries(readObject(value)).map(([name, given]) => {
    const ours = Object.hasOwn(MARK_OPTIONS, name) ? MARK_OPTIONS[name] : undefined;
    if (!ours)
      throw new Error(`names ${name.slice(0, 64)}, but only opacity, rotation and color are supported: a mark fills the page`);
    rename(ours, name);
    return [ours, ours === 'color' ? readColor(String(given)) : readNumber(String(given))];
  });
  return Object.fromEntries(entries);
}

/** Reads `#808080`, and the three components from 0 to 1 of pdfcpu. */
function readColor(given: string): string {
  const components = given.trim().split(' ').map(Number);
  if (components.length !== 3 || !components.every((each) => each >= 0 && each <= 1)) return given;
  return `#${Buffer.from(components.map((each) => Math.round(each * 255))).toString('hex')}`;
}

/** Reads dates of ExifTool, such as `2006:09:18 16:27:50-04:00`, and those of RFC 3339 with fractions or without a time zone. */
function parseTime(given: string): string {
  const time = given
    .replace(/^(\d{4}):(\d\d):(\d\d)/, '$1-$2-$3')
    .replace(' ', 'T')
    .replace(/\.\d+/, '');
  return /T\d\d:\d\d:\d\d$/.test(time) ? `${time}Z` : time;
}
