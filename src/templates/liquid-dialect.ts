/** The Liquid dialect of templates: LiquidJS without file access and without code in strings, with a `money` filter. Times are in UTC. */
import { assert, filters, Liquid, toValue } from 'liquidjs';
import { CaptureEmitter, measured } from './liquid-limits.ts';

/** The locale of dates, and of money if the template names none. A fixed value makes the result independent of the server. */
const LOCALE = 'en-US';

type TagOptions = Exclude<Parameters<Liquid['registerTag']>[1], new (...args: never) => unknown>;

export function createLiquid(): Liquid {
  const engine = new Liquid({
    outputEscape: measured('escape', filters.escape as Parameters<typeof measured>[1]), // a function, because LiquidJS resolves a name to its own filter
    ownPropertyOnly: true,
    strictFilters: true,
    templates: Object.create(null), // no files; without a prototype, a template named `constructor` does not exist either
    locale: LOCALE,
    timezoneOffset: 0,
  });
  for (const tag of ['render', 'include', 'layout', 'block']) engine.registerTag(tag, refused(tag));
  for (const [name, filter] of Object.entries(filters)) {
    // These filters run strings as code.
    if (name.endsWith('_exp')) engine.unregisterFilter(name);
    else if (typeof filter === 'function') engine.registerFilter(name, measured(name, filter));
  }
  engine.registerFilter('money', money);
  const render = engine.renderer.renderTemplates.bind(engine.renderer);
  engine.renderer.renderTemplates = (templates, context, emitter = new CaptureEmitter(context)) =>
    render(templates, context, emitter);
  return engine;
}

function refused(tag: string): TagOptions {
  const refuse = () => assert(false, `tag "${tag}" is not available: a template cannot include others`);
  return { parse: refuse, render: refuse };
}

/** `{{ total | money: "EUR", "de-DE" }}` formats a number, or a string of decimal digits. A missing value gives no text. */
function money(amount: unknown, currency: unknown, locale: unknown = LOCALE): string {
  const value = toValue(amount);
  if (value === undefined || value === null || value === '') return '';
  const valid = typeof value === 'string' ? DECIMAL.test(value) : Number.isFinite(value);
  assert(valid, 'money: the amount is not a number');
  return moneyFormat(String(currency), String(locale)).format(value as number);
}

const DECIMAL = /^\s*[+-]?\d{1,40}(?:\.\d{1,40})?\s*$/;
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const moneyFormats = new Map<string, Intl.NumberFormat>();

/** Creating a formatter takes longer than using it a hundred times. */
function moneyFormat(currency: string, locale: string): Intl.NumberFormat {
  const key = `${currency} ${locale}`;
  const known = moneyFormats.get(key);
  if (known) return known;
  assert(CURRENCIES.has(currency), 'money: the currency must be a code of ISO 4217 such as "EUR"');
  assert(isLocale(locale), 'money: the locale must be a language tag such as "de-DE"');
  if (moneyFormats.size >= 100) moneyFormats.clear();
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
  moneyFormats.set(key, format);
  return format;
}

function isLocale(locale: string): boolean {
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i.test(locale) && Intl.NumberFormat.supportedLocalesOf(locale).length > 0;
}
