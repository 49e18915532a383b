/** The Liquid that templates are written in: LiquidJS without files and without code in texts, with money. Its process tells the time in UTC. */
import { assert, filters, Liquid, toValue } from 'liquidjs';
import { CaptureEmitter, measured } from './liquid-limits.ts';

/** For dates, and for money where the template names none: nothing depends on the server. */
const LOCALE = 'en-US';

type TagOptions = Exclude<Parameters<Liquid['registerTag']>[1], new (...args: never) => unknown>;

export function createLiquid(): Liquid {
  const engine = new Liquid({
    outputEscape: 'escape',
    ownPropertyOnly: true,
    strictFilters: true,
    templates: Object.create(null), // no files, and nothing by the name of `constructor` either
    locale: LOCALE,
    timezoneOffset: 0,
  });
  for (const tag of ['render', 'include', 'layout', 'block']) engine.registerTag(tag, refused(tag));
  for (const [name, filter] of Object.entries(filters)) {
    // Those run text as code.
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

/** `{{ total | money: "EUR", "de-DE" }}`: a number, or its decimal digits in a text; nothing for what is missing. */
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

/** Making one takes longer than using it a hundred times. */
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
