/**
 * What a Liquid template may take. A thread that runs out of memory can take the whole process with it: where a built-in function
 * such as `split` gets no more, V8 ends the process, whatever the limits of the thread say. So everything a template can make grow
 * is measured here, and stopped far from the limit of the heap.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  assert,
  Context,
  type Emitter,
  evalTokenValue,
  type Liquid,
  Token,
  Tokenizer,
  TokenKind,
  toValue,
  type ValueToken,
} from 'liquidjs';
import { Utf8Counter } from './placeholders.ts';

type FilterHandler = Extract<Parameters<Liquid['registerFilter']>[1], (...args: never) => unknown>;

/** Of one template: characters in tags and outputs, and how many there are. One output takes 1.6 kB once parsed. */
export const MAX_CODE_CHARACTERS = 1_000_000;
const MAX_TAGS = 100_000;
/** The longest text and the largest array one step may work on, in characters; an element counts as some. */
const MAX_STEP = 5_000_000;
const CHARACTERS_PER_ELEMENT = 5;
const MAX_JOINED = 4 * MAX_STEP;
/** All that one fill may work on, in characters. */
const MAX_WORK = 200_000_000;
/** Of the limit of the thread's heap. What is above it is for one step that began just below. */
const MAX_HEAP_SHARE = 0.3;
/** What is too large is counted on for this long, to be able to say how large it is. */
const COUNTED_BYTES = 32_000_000;

export const OUT_OF_MEMORY = 'the template takes more memory than it may have';
export const OUT_OF_TIME = 'the template takes too long';

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

/** What LiquidJS takes tokens from. Taking the first from a long array moves all others: 100,000 tags took 6 s to parse. */
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

/** The limiters of LiquidJS, which know the sum, made to look at the single step and at the heap as well. */
export function contextOf(liquid: Liquid, data: Record<string, unknown>, timeoutMs: number): Context {
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
    const text = textOf(value);
    this.#size.add(text);
    if (!this.tooLarge) this.buffer += text;
    assert(this.bytes <= this.#limitBytes + COUNTED_BYTES, 'the result is too large');
  }
}

/** What `capture` fills. LiquidJS does not measure it. */
export class CaptureEmitter implements Emitter {
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

/** Not all filters are measured by LiquidJS. Those that read an argument as the name of a property make much out of little. */
export function measured(name: string, filter: FilterHandler): FilterHandler {
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
 * An array that holds one long text many times over is small until it is written out, as any comparison or sum does. All of that
 * comes down to `join`, and so do the messages of LiquidJS, which quote a template twice.
 */
export function measureJoin(): void {
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
export function checkRanges(): void {
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
