/** The Liquid filters that format values for readers: dates, numbers and money, each with a `locale`. A value in, its text out. */
import { assert, filters, type Liquid, toValue } from 'liquidjs';

type FilterHandler = Extract<Parameters<Liquid['registerFilter']>[1], (...args: never) => unknown>;
type FilterThis = ThisParameterType<FilterHandler>;

/** The locale where a template names none. A fixed value makes the result independent of the server. */
export const DEFAULT_LOCALE = 'en-US';

export const formatFilters: Record<string, FilterHandler> = {
  date: formatDate,
  number: formatNumber,
  money: formatMoney,
  ...Object.fromEntries(
    (['date_to_xmlschema', 'date_to_rfc822', 'date_to_string', 'date_to_long_string'] as const).map((name) => [
      name,
      readDateFor(name),
    ]),
  ),
};

/** `{{ due | date: "%-d. %B %Y", "Europe/Berlin", locale: "de" }}`. A missing value gives no text. */
function formatDate(this: FilterThis, value: unknown, ...args: unknown[]): unknown {
  const { positional, named } = splitArguments(this, 'date', args, ['locale']);
  const date = readDate('date', value);
  if (date === undefined) return '';
  const locale = readLocale('date', named.get('locale'));
  const [format, zone] = positional.map(toValue);
  const timezone = readZone(zone);
  // The days and years of directives are Gregorian, so that the months must be.
  const opts = { ...this.context.opts, locale: `${locale}${GREGORIAN}` };
  const context = Object.create(this.context, { opts: { value: opts } });
  const write: Write = (pattern) => (filters.date as FilterHandler).call({ ...this, context }, date, pattern, timezone);
  if (isMissing(format) && format !== '' && named.has('locale')) return formatLocalDate(write, locale, { dateStyle: 'long' });
  if (typeof format !== 'string') return write(format);
  const localized = localizeForms(expandDirectives(format), write, locale);
  if (!format.includes('%B') || !DAY.test(format)) return write(localized);
  return write(inflectMonth(localized, locale, Number(write('%m'))));
}

const GREGORIAN = '-u-ca-gregory';
/** Directives of strftime that LiquidJS prints as they are. */
const SHORTHANDS: Record<string, string> = { '%F': '%Y-%m-%d', '%T': '%H:%M:%S', '%R': '%H:%M', '%D': '%m/%d/%y' };
const DIRECTIVE = /%[-_0^#:]*\d*[EO]?([\s\S]|$)/g;
const KNOWN_DIRECTIVE = /[a-eA-CHIjklLmMNpPqrsSuUwWxXyYzZhtn%]/;

/** Throws for a directive that does not exist, which LiquidJS prints as it is. */
function expandDirectives(format: string): string {
  return format.replace(DIRECTIVE, (directive, letter: string) => {
    const known = SHORTHANDS[directive] ?? (KNOWN_DIRECTIVE.test(letter) ? directive : undefined);
    assert(known, `date: there is no directive ${directive}; print a percent sign with %%`);
    return known as string;
  });
}

/** Returns the name of a time zone, or minutes. */
function readZone(zone: unknown): unknown {
  try {
    if (typeof zone === 'string') new Intl.DateTimeFormat(DEFAULT_LOCALE, { timeZone: zone });
  } catch {
    assert(false, 'date: the time zone must be a name such as "Europe/Berlin"');
  }
  return zone;
}

type Write = (pattern: unknown) => unknown;

/** LiquidJS itself prints these as the locale of the server does, or in English. */
const LOCAL_FORMS: Record<string, Intl.DateTimeFormatOptions> = {
  '%x': { year: 'numeric', month: 'numeric', day: 'numeric' },
  '%X': { timeStyle: 'medium' },
  '%c': { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  '%r': { timeStyle: 'medium', hour12: true },
};

function localizeForms(format: string, write: Write, locale: string): string {
  return format.replace(/%%|%[xXcrpP]/g, (directive) => {
    const form = LOCAL_FORMS[directive];
    if (form) return formatLocalDate(write, locale, form);
    if (directive === '%%') return directive;
    const half = formatDayPeriod(write, locale);
    return directive === '%P' ? half.toLocaleLowerCase(locale) : half;
  });
}

function formatLocalDate(write: Write, locale: string, form: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale, { ...form, timeZone: 'UTC' }).format(wallClock(write));
}

function formatDayPeriod(write: Write, locale: string): string {
  const parts = new Intl.DateTimeFormat(locale, { hour: 'numeric', hour12: true, timeZone: 'UTC' }).formatToParts(
    wallClock(write),
  );
  return parts.find(({ type }) => type === 'dayPeriod')?.value ?? '';
}

/** The date whose time in UTC is the time in the zone of the filter. */
function wallClock(write: Write): Date {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(String(write('%z'))) ?? [];
  const offset = Number(`${sign}1`) * (60 * Number(hours) + Number(minutes));
  return new Date(1_000 * (Number(write('%s')) + 60 * offset));
}

/** LiquidJS itself reads `4.3.2026` as 3 April, 30 February as 2 March, and other texts by the rules of the server's JavaScript engine. */
function readDateFor(name: keyof typeof filters): FilterHandler {
  return function (value, ...args) {
    const date = readDate(name, value);
    return date === undefined ? '' : (filters[name] as FilterHandler).call(this, date, ...args);
  };
}

const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?: ?(Z|[+-]\d\d(?::?\d\d)?))?)?)?)?$/i;
const BASIC_DATE = /^(\d{4})(\d\d)(\d\d)$/;
/** The year 5138. A larger number is a time in milliseconds. */
const MAX_SECONDS = 100_000_000_000;

/** Reads ISO 8601, seconds since 1970 and `now`. Without a zone, times are in UTC. Returns `undefined` for a missing value. */
function readDate(filter: string, given: unknown): Date | undefined {
  const value = toValue(given);
  if (value === undefined || value === null || value === '') return undefined;
  if (value === 'now' || value === 'today') return new Date();
  const text = typeof value === 'string' ? value.slice(0, 50).trim() : '';
  const parts = DATE.exec(text) ?? BASIC_DATE.exec(text);
  const date = parts
    ? dateFromParts(parts)
    : dateFromSeconds(typeof value === 'number' ? value : SECONDS.test(text) ? Number(text) : Number.NaN);
  assert(
    date,
    `${filter}: the value is not a date; write ISO 8601 such as "2026-03-04" or "2026-03-04T09:30:00Z", seconds since 1970, or "now"`,
  );
  return date;
}

const SECONDS = /^-?\d{1,12}(?:\.\d{1,9})?$/;

function dateFromSeconds(seconds: number): Date | undefined {
  return Math.abs(seconds) <= MAX_SECONDS ? new Date(seconds * 1_000) : undefined;
}

/** Returns `undefined` for a day, an hour or an offset that does not exist. */
function dateFromParts([, year, month = '01', day = '01', hours = '00', minutes = '00', seconds = '00', zone = 'Z']: string[]):
  | Date
  | undefined {
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(month) > 12 || Number(day) > days) return undefined;
  const digits = zone.replace(
    /^([+-]\d\d):?(\d\d)?$/,
    (_, offsetHours, offsetMinutes = '00') => `${offsetHours}:${offsetMinutes}`,
  );
  const date = new Date(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}${digits.toUpperCase()}`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

const DAY = /%[-_0]?[de]/;

/** Many languages inflect the name of a month beside a day, as Polish does. */
function inflectMonth(format: string, locale: string, month: number): string {
  const name = new Intl.DateTimeFormat(`${locale}${GREGORIAN}`, { day: 'numeric', month: 'long', timeZone: 'UTC' })
    .formatToParts(new Date(Date.UTC(2026, month - 1, 15)))
    .find(({ type }) => type === 'month')?.value;
  if (!name || /\d/.test(name)) return format;
  return format.replace(/%%|%B/g, (directive) => (directive === '%B' ? name : directive));
}

/** `{{ 1234.5 | number: locale: "de" }}` prints all decimals; `decimals: 2` sets their number. A missing value gives no text. */
function formatNumber(this: FilterThis, value: unknown, ...args: unknown[]): string {
  const { positional, named } = splitArguments(this, 'number', args, ['locale', 'decimals']);
  const decimals = toValue(named.get('decimals'));
  const isCount = Number.isInteger(decimals) && (decimals as number) >= 0 && (decimals as number) <= MAX_DECIMALS;
  assert(decimals === undefined || isCount, `number: decimals must be a whole number from 0 to ${MAX_DECIMALS}`);
  return formatDecimal('number', value, readLocale('number', named.get('locale') ?? positional[0]), {
    minimumFractionDigits: decimals as number | undefined,
    maximumFractionDigits: (decimals as number | undefined) ?? MAX_DECIMALS,
  });
}

const MAX_DECIMALS = 40;

/** `{{ total | money: "EUR", "de-DE" }}` or `{{ total | money: "EUR", locale: "de-DE" }}`. A missing value gives no text. */
function formatMoney(this: FilterThis, value: unknown, ...args: unknown[]): string {
  const { positional, named } = splitArguments(this, 'money', args, ['locale']);
  const currency = String(positional[0]);
  const locale = named.get('locale') ?? positional[1];
  if (isMissing(toValue(value))) return '';
  assert(CURRENCIES.has(currency), 'money: the currency must be a code of ISO 4217 such as "EUR"');
  return formatDecimal('money', value, readLocale('money', locale), { style: 'currency', currency });
}

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const DECIMAL = /^\s*[+-]?\d{1,40}(?:\.\d{1,40})?\s*$/;

/** Formats a number, or a string of decimal digits with all of its digits. */
function formatDecimal(filter: string, given: unknown, locale: string, options: Intl.NumberFormatOptions): string {
  const value = toValue(given);
  if (isMissing(value)) return '';
  const isNumber = typeof value === 'string' ? value.length <= 100 && DECIMAL.test(value) : Number.isFinite(value);
  assert(isNumber, `${filter}: the ${filter === 'money' ? 'amount' : 'value'} is not a number`);
  return numberFormat(locale, options).format(value as number);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

const numberFormats = new Map<string, Intl.NumberFormat>();

/** Creating a formatter takes longer than using it a hundred times. */
function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify([locale, options]);
  const known = numberFormats.get(key);
  if (known) return known;
  if (numberFormats.size >= 100) numberFormats.clear();
  const format = new Intl.NumberFormat(locale, options);
  numberFormats.set(key, format);
  return format;
}

/** Separates `locale: "de"` from arguments without a name. A list from the data looks the same; the parsed token tells them apart. */
function splitArguments(
  { token }: FilterThis,
  filter: string,
  args: unknown[],
  names: string[],
): { positional: unknown[]; named: Map<string, unknown> } {
  const isNamed = (index: number): boolean => Array.isArray(token.args[index]);
  const named = new Map(args.filter((_, index) => isNamed(index)) as [string, unknown][]);
  for (const name of named.keys())
    assert(names.includes(name), `${filter}: unknown argument; it takes ${names.join(' and ')} by name`);
  return { positional: args.filter((_, index) => !isNamed(index)), named };
}

function readLocale(filter: string, given: unknown): string {
  const locale = toValue(given);
  if (locale === undefined || locale === null) return DEFAULT_LOCALE;
  const isLocale =
    typeof locale === 'string' && LANGUAGE_TAG.test(locale) && Intl.NumberFormat.supportedLocalesOf(locale).length > 0;
  assert(isLocale, `${filter}: the locale must be a language tag such as "de-DE"`);
  return locale as string;
}

const LANGUAGE_TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i;
