/**
 * What a Liquid template may take before its process does: limits that end a template with the line it was at. Those LiquidJS has
 * know the sum of the work; these know the single step as well.
 */
import { assert, Context, type Emitter, type Liquid, Tokenizer, TokenKind, toValue } from 'liquidjs';
import { OUT_OF_MEMORY } from './liquid-messages.ts';
import { Utf8Counter } from './placeholders.ts';

type FilterHandler = Extract<Parameters<Liquid['registerFilter']>[1], (...args: never) => unknown>;

/** Of one template: characters in tags and outputs, and how many there are. One output takes 1.6 kB once parsed. */
export const MAX_CODE_CHARACTERS = 1_000_000;
const MAX_TAGS = 100_000;
/** The longest text and the largest array one step may work on, in characters; an element counts as some. */
const MAX_STEP = 5_000_000;
const CHARACTERS_PER_ELEMENT = 5;
/** All that one fill may work on, in characters. */
const MAX_WORK = 200_000_000;
/** What is too large is counted on for this long, to be able to say how large it is. */
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

/** The limits of LiquidJS, and one for each step. */
export function contextOf(liquid: Liquid, data: Record<string, unknown>, timeoutMs: number): Context {
  const context = new Context(data, liquid.options, { sync: true, memoryLimit: MAX_WORK, renderLimit: timeoutMs }, { liquid });
  const { memoryLimit } = context;
  const use = memoryLimit.use.bind(memoryLimit);
  memoryLimit.use = (count) => {
    assert(!(count > MAX_STEP), OUT_OF_MEMORY);
    use(count);
  };
  return context;
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

/** As LiquidJS writes values that the filter `raw` let through. An array in an array can be small until it is written out. */
function textOf(value: unknown, budget = { elements: MAX_STEP }): string {
  const plain = toValue(value);
  if (typeof plain === 'string') return plain;
  if (plain === undefined || plain === null) return '';
  if (!Array.isArray(plain)) return String(plain);
  budget.elements -= plain.length;
  assert(budget.elements >= 0, OUT_OF_MEMORY);
  return plain.map((element) => textOf(element, budget)).join('');
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
