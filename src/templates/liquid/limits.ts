/**
 * Limits for Liquid templates that stop a template before its process runs out of time or memory, and report the line. The limits
 * of LiquidJS count the total work; these also limit each single step.
 */
import { assert, Context, type Emitter, type Liquid, Tokenizer, TokenKind, toValue } from 'liquidjs';
import { Utf8Counter } from '../placeholders.ts';
import { OUT_OF_MEMORY } from './messages.ts';

type FilterHandler = Extract<Parameters<Liquid['registerFilter']>[1], (...args: never) => unknown>;

/** The characters in tags and outputs of one template, and their number. One parsed output takes 1.6 kB. */
export const MAX_CODE_CHARACTERS = 1_000_000;
export const MAX_TAGS = 100_000;
/** The longest text and the largest array that one step may process, in characters. An array element counts as several. */
const MAX_STEP = 5_000_000;
const CHARACTERS_PER_ELEMENT = 5;
/** The characters that one render may process in total. */
const MAX_WORK = 200_000_000;
/** Counting continues up to this size beyond the limit, so that the error can report the actual size. */
const COUNTED_BYTES = 32_000_000;

export class MeasuredTokenizer extends Tokenizer {
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

/** An array of tokens with a fast `shift`. The built-in `shift` moves all other elements: 100,000 tags took 6 s to parse. */
export class TokenLine {
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

/** The limits of LiquidJS with an additional limit for each step. */
export function createContext(liquid: Liquid, data: Record<string, unknown>, timeoutMs: number): Context {
  const context = new Context(data, liquid.options, { sync: true, memoryLimit: MAX_WORK, renderLimit: timeoutMs }, { liquid });
  const { memoryLimit } = context;
  const use = memoryLimit.use.bind(memoryLimit);
  memoryLimit.use = (count) => {
    assert(!(count > MAX_STEP), OUT_OF_MEMORY);
    use(count);
  };
  return context;
}

/** Collects the output until it is too large, and then only counts. */
export class ResultEmitter implements Emitter {
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
    const text = toText(value);
    this.#size.add(text);
    if (!this.tooLarge) this.buffer += text;
    assert(this.bytes <= this.#limitBytes + COUNTED_BYTES, 'the result is too large');
  }
}

/** The output of `capture`, which LiquidJS does not measure. */
export class CaptureEmitter implements Emitter {
  buffer = '';
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  write(value: unknown): void {
    const text = toText(value);
    this.#context.memoryLimit.use(text.length);
    assert(this.buffer.length + text.length <= MAX_STEP, OUT_OF_MEMORY);
    this.buffer += text;
  }
}

/** Writes values as LiquidJS does after the filter `raw`. Nested arrays can be small in memory and large as text. */
function toText(value: unknown, budget = { elements: MAX_STEP }): string {
  const plain = toValue(value);
  if (typeof plain === 'string') return plain;
  if (plain === undefined || plain === null) return '';
  if (!Array.isArray(plain)) return String(plain);
  budget.elements -= plain.length;
  assert(budget.elements >= 0, OUT_OF_MEMORY);
  return plain.map((element) => toText(element, budget)).join('');
}

/** Measures filters that LiquidJS does not measure. Filters that read a property by name can produce large results from small data. */
export function limitFilter(name: string, filter: FilterHandler): FilterHandler {
  const weight = ['where', 'reject', 'group_by', 'has', 'find', 'find_index'].includes(name) ? 50 : 1;
  return function (value, ...args) {
    this.context.memoryLimit.use(name === 'escape' ? writtenSize(value) : valueSize(value)); // every output is escaped
    for (const arg of args) this.context.memoryLimit.use(weight * valueSize(arg));
    return filter.call(this, value, ...args);
  };
}

function valueSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? CHARACTERS_PER_ELEMENT * value.length : 0;
}

/** The size of the text that an output writes, counted up to `budget`. Nested arrays can be small in memory and large as text. */
function writtenSize(value: unknown, budget = MAX_STEP): number {
  let size = valueSize(value);
  for (const element of Array.isArray(value) ? value : []) {
    if (size > budget) break;
    if (Array.isArray(element)) size += writtenSize(element, budget - size);
  }
  return size;
}
