/**
 * The worker side of the Liquid engine: a template and data in, HTML or what is wrong out, both as plain values that can cross
 * threads.
 *
 * A thread that runs out of memory can take the whole process with it: where a built-in function such as `split` gets no more,
 * V8 ends the process, whatever the limits of the thread say. So everything a template can make grow is measured here, and stopped
 * far from the limit of the heap.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  AssertionError,
  assert,
  Context,
  type Emitter,
  evalTokenValue,
  filters,
  Liquid,
  LiquidError,
  Parser,
  Token,
  Tokenizer,
  TokenKind,
  toValue,
  toValueSync,
  type ValueToken,
} from 'liquidjs';

import { Utf8Counter } from './placeholders.ts';

export interface ParseTask {
  html: string;
}

export interface FillTask {
  /** Names one version of one template. */
  key: string;
  html: string;
  /** Text crosses threads faster than many small objects. */
  dataJson: string;
  limitBytes: number;
  /** Filling ends by itself after this time, and says where it was. */
  timeoutMs: number;
}

export type Answer<T> = { value: T } | { fault: Fault };

export type Fault =
  | { kind: 'template'; message: string; line?: number; column?: number }
  /** `actual` is left out where nobody counted to the end. */
  | { kind: 'size'; actual?: number };

export function parse({ html }: ParseTask): Answer<{ paths: string[] }> {
  try {
    return { value: { paths: pathsOf(parseHtml(html).templates) } };
  } catch (error) {
    return { fault: faultOf(error, html) };
  }
}

export function fill({ key, html, dataJson, limitBytes, timeoutMs }: FillTask): Answer<string> {
  const result = new ResultEmitter(limitBytes);
  try {
    const { templates } = parsed(key, html);
    toValueSync(liquid.renderer.renderTemplates(templates, contextOf(JSON.parse(dataJson), timeoutMs), result) as Generator);
  } catch (error) {
    if (!result.tooLarge) return { fault: faultOf(error, html) };
    return { fault: { kind: 'size' } };
  }
  return result.tooLarge ? { fault: { kind: 'size', actual: result.bytes } } : { value: result.buffer };
}

/** Of one template: characters in tags and outputs, and how many there are. One output takes 1.6 kB once parsed. */
const MAX_CODE_CHARACTERS = 1_000_000;
const MAX_TAGS = 100_000;
/** The longest text and the largest array one step may work on, in characters; an element counts as some. */
const MAX_STEP = 5_000_000;
const CHARACTERS_PER_ELEMENT = 5;
const MAX_JOINED = 4 * MAX_STEP;
/** All that one fill may work on, in characters. */
const MAX_WORK = 200_000_000;
/** Of the limit of the thread's heap. What is above it is for one step that began just below. */
const MAX_HEAP_SHARE = 0.3;
/** Parsed templates kept, by their estimated size. */
const CACHE_BYTES = 64_000_000;
/** What is too large is counted on for this long, to be able to say how large it is. */
const COUNTED_BYTES = 32_000_000;

const OUT_OF_MEMORY = 'the template takes more memory than it may have';
const OUT_OF_TIME = 'the template takes too long';

type Templates = ReturnType<Liquid['parse']>;
type TopLevelTokens = Parameters<Parser['parseTokens']>[0];

interface Parsed {
  html: string;
  templates: Templates;
  bytes: number;
}

const cache = new Map<string, Parsed>();

/** From the cache if it is there, the ones used last at its end. */
function parsed(key: string, html: string): Parsed {
  const known = cache.get(key);
  const current = known?.html === html ? known : parseHtml(html);
  cache.delete(key);
  cache.set(key, current);
  let bytes = 0;
  for (const entry of cache.values()) bytes += entry.bytes;
  for (const [oldest, entry] of cache) {
    if (bytes <= CACHE_BYTES) break;
    cache.delete(oldest);
    bytes -= entry.bytes;
  }
  return current;
}

function parseHtml(html: string): Parsed {
  const tokenizer = new MeasuredTokenizer(html, liquid.options.operators);
  const tokens = new TokenLine(tokenizer.readTopLevelTokens(liquid.options));
  const templates = new Parser(liquid).parseTokens(tokens as unknown as TopLevelTokens);
  return { html, templates, bytes: 2 * html.length + 200 * tokenizer.characters + 1600 * tokenizer.tags };
}

class MeasuredTokenizer extends Tokenizer {
  tags = 0;
  characters = 0;

  override readTopLevelToken(...options: Parameters<Tokenizer['readTopLevelToken']>): ReturnType<Tokenizer['readTopLevelToken']> {
    const token = super.readTopLevelToken(...options);
    if (token.kind === TokenKind.HTML) return token;
    this.characters += token.size();
    this.assert(++this.tags <= MAX_TAGS, `more than ${MAX_TAGS} tags`, token.begin);
    this.assert(this.characters <= MAX_CODE_CHARACTERS, `more than ${MAX_CODE_CHARACTERS} characters in tags`, token.begin);
    return token;
  }
}

/** What LiquidJS takes tokens from. Taking the first from a long array moves all others: 100,000 tags took 6 s to parse. */
class TokenLine {
  readonly #tokens: unknown[];
  #next = 0;

  constructor(tokens: unknown[]) {
    this.#tokens = tokens;
  }

  get length(): number {
    return this.#tokens.length - this.#next;
  }

  shift(): unknown {
    return this.#tokens[this.#next++];
  }
}

/** LiquidJS counts lines from the start of the template for each variable, which nobody here reads: 12 s for 10,000 of them. */
function pathsOf(templates: Templates): string[] {
  const { getPosition } = Token.prototype;
  Token.prototype.getPosition = () => [0, 0];
  try {
    const paths = liquid.globalFullVariablesSync(templates, { partials: false });
    const length = paths.reduce((sum, path) => sum + path.length, 0);
    assert(length <= MAX_CODE_CHARACTERS, `more than ${MAX_CODE_CHARACTERS} characters in names of variables`); // x[y[z[...]]]
    return paths;
  } finally {
    Token.prototype.getPosition = getPosition;
  }
}

/** The limiters of LiquidJS, which know the sum, made to look at the single step and at the heap as well. */
function contextOf(data: Record<string, unknown>, timeoutMs: number): Context {
  const context = new Context(data, liquid.options, { sync: true, memoryLimit: MAX_WORK, renderLimit: timeoutMs }, { liquid });
  const { memoryLimit, renderLimit } = context;
  const use = memoryLimit.use.bind(memoryLimit);
  const check = renderLimit.check.bind(renderLimit);
  memoryLimit.use = (count) => {
    assert(!(count > MAX_STEP), OUT_OF_MEMORY);
    use(count);
    checkHeap();
  };
  renderLimit.check = (now) => {
    check(now);
    checkHeap();
  };
  return context;
}

function checkHeap(): void {
  if (!heapIsFull()) return;
  collectGarbage(); // that of another template, perhaps
  assert(!heapIsFull(), OUT_OF_MEMORY);
}

function heapIsFull(): boolean {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size > MAX_HEAP_SHARE * heap_size_limit;
}

/** Without it the garbage of one template would count against the next. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collect;
}

/** Takes what is written until it is too large, and then only counts. */
class ResultEmitter implements Emitter {
  buffer = '';
  readonly #limitBytes: number;
  readonly #size = new Utf8Counter();

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#size.bytes;
  }

  get tooLarge(): boolean {
    return this.bytes > this.#limitBytes;
  }

  write(value: unknown): void {
    const text = textOf(value);
    this.#size.add(text);
    if (!this.tooLarge) this.buffer += text;
    assert(this.bytes <= this.#limitBytes + COUNTED_BYTES, 'the result is too large');
  }
}

/** What `capture` fills. LiquidJS does not measure it. */
class CaptureEmitter implements Emitter {
  buffer = '';
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  write(value: unknown): void {
    const text = textOf(value);
    this.#context.memoryLimit.use(text.length);
    assert(this.buffer.length + text.length <= MAX_STEP, OUT_OF_MEMORY);
    this.buffer += text;
  }
}

/** As LiquidJS writes values that the filter `raw` let through. */
function textOf(value: unknown): string {
  const plain = toValue(value);
  if (typeof plain === 'string') return plain;
  if (plain === undefined || plain === null) return '';
  return Array.isArray(plain) ? plain.map(textOf).join('') : String(plain);
}

function faultOf(error: unknown, html: string): Fault {
  const cause = causeOf(error);
  if (!LiquidError.is(error)) return { kind: 'template', message: messageOf(cause) };
  // Filters may read a text of the data as the name of a property, and fail at a place in that text.
  if (error.token.input !== html) return { kind: 'template', message: FAILED };
  const [line = 1, column = 1] = error.token.getPosition();
  return { kind: 'template', message: messageOf(cause), line, column };
}

function causeOf(error: unknown): Error {
  let cause = error as Error & { originalError?: Error };
  while (cause.originalError) cause = cause.originalError;
  return cause;
}

const FAILED = 'a filter or tag cannot work with the values it was given';
const MAX_MESSAGE_CHARACTERS = 200;

/** Messages of LiquidJS quote the template; those of JavaScript itself can quote the data. */
function messageOf(cause: Error): string {
  if (cause.message.startsWith('template render limit')) return OUT_OF_TIME;
  if (cause.message.startsWith('memory alloc limit')) return OUT_OF_MEMORY;
  if (cause.message.startsWith('Maximum call stack')) return 'the template is nested too deeply';
  if (!(cause instanceof AssertionError || LiquidError.is(cause) || cause.constructor === Error)) return FAILED;
  const message = cause.message.replace(/, line:\d+, col:\d+$/, '');
  return message.length > MAX_MESSAGE_CHARACTERS ? `${message.slice(0, MAX_MESSAGE_CHARACTERS)}...` : message;
}

/** For dates, and for money where the template names none: nothing depends on the server. */
const LOCALE = 'en-US';

type TagOptions = Exclude<Parameters<Liquid['registerTag']>[1], new (...args: never) => unknown>;
type FilterHandler = Extract<Parameters<Liquid['registerFilter']>[1], (...args: never) => unknown>;

function createLiquid(): Liquid {
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
  const refuse = () => assert(false, `tag "${tag}" is not available: a template stands alone`);
  return { parse: refuse, render: refuse };
}

/** Not all filters are measured by LiquidJS. Those that read an argument as the name of a property make much out of little. */
function measured(name: string, filter: FilterHandler): FilterHandler {
  const weight = ['where', 'reject', 'group_by', 'has', 'find', 'find_index'].includes(name) ? 50 : 1;
  return function (value, ...args) {
    this.context.memoryLimit.use(sizeOf(value));
    for (const arg of args) this.context.memoryLimit.use(weight * sizeOf(arg));
    return filter.call(this, value, ...args);
  };
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? CHARACTERS_PER_ELEMENT * value.length : 0;
}

/**
 * A date of UTC wherever the server is, for LiquidJS to find under the name of `Date`: it would read dates without a zone in that
 * of the server, and shift all others to be read with its clock, which goes wrong for hours when that clock changes.
 */
class UtcDate extends Date {
  constructor(init: number | string | Date) {
    super(typeof init === 'string' ? withZone(init) : init);
  }

  override getTimezoneOffset(): number {
    return 0;
  }
}

function withZone(text: string): string {
  if (text.length > 100 || HAS_ZONE.test(text)) return text;
  return [`${text}Z`, `${text} UTC`].find((zoned) => !Number.isNaN(Date.parse(zoned))) ?? text;
}

/** The zones that JavaScript knows, and offsets such as +02:00 after a time. */
const HAS_ZONE = /(?:z|utc?|gmt|[ecmp][sd]t|:.*[+-]\d\d:?\d\d)\s*$/i;

function tellTimeInUtc(): void {
  const parts = ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'] as const;
  for (const part of parts) UtcDate.prototype[`get${part}`] = UtcDate.prototype[`getUTC${part}`];
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'] as const) {
    const write = Date.prototype[name] as (locale: unknown, options: object) => string;
    UtcDate.prototype[name] = function (locale: unknown = LOCALE, options?: object) {
      return write.call(this, locale, { timeZone: 'UTC', ...options });
    };
  }
  const { DateTimeFormat } = Intl;
  const format = (locale?: string, options?: object) => new DateTimeFormat(locale, { timeZone: 'UTC', ...options });
  Intl.DateTimeFormat = Object.assign(format, DateTimeFormat) as unknown as typeof DateTimeFormat;
  globalThis.Date = UtcDate as DateConstructor;
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

/**
 * An array that holds one long text many times over is small until it is written out, as any comparison or sum does. All of that
 * comes down to `join`, and so do the messages of LiquidJS, which quote a template twice.
 */
function measureJoin(): void {
  const { join } = Array.prototype;
  Array.prototype.join = function (separator) {
    assert(joinedLength(this, String(separator ?? ',').length) <= MAX_JOINED, OUT_OF_MEMORY);
    return join.call(this, separator);
  };
}

/** Stops counting when it is too much: arrays in arrays can be endless. */
function joinedLength(array: unknown[], separatorLength: number, budget = MAX_JOINED): number {
  let length = 0;
  for (const item of array) {
    length += separatorLength + 1;
    if (typeof item === 'string') length += item.length;
    else if (Array.isArray(item)) length += joinedLength(item, 1, budget - length);
    if (length > budget) break;
  }
  return length;
}

/** Beyond 2^53 the next number is the same, and LiquidJS would count for ever. */
function checkRanges(): void {
  const { readGroupOrRange } = Tokenizer.prototype;
  Tokenizer.prototype.readGroupOrRange = function () {
    const range = readGroupOrRange.call(this);
    if (range && 'lhs' in range) Object.assign(range, { lhs: checkedBound(range.lhs), rhs: checkedBound(range.rhs) });
    return range;
  };
}

/** A token of the kind that says how it is evaluated. `postfix` is what the analysis of variables reads. */
function checkedBound(token: ValueToken): Token {
  function* evaluate(context: Context): Generator {
    const bound = Number(yield evalTokenValue(token, context));
    assert(!(Math.abs(bound) > Number.MAX_SAFE_INTEGER), 'the bounds of a range are too large');
    return bound;
  }
  const initial = { postfix: [token], evaluate };
  const { input, begin, end } = token;
  return Object.assign(Object.create(Token.prototype), {
    kind: TokenKind.FilteredValue,
    input,
    begin,
    end,
    filters: [],
    initial,
  });
}

const collectGarbage = garbageCollector();
measureJoin();
checkRanges();
tellTimeInUtc();
const liquid = createLiquid();
