/** The child process of the Liquid engine: a task in, HTML or an error of the template out, as messages. */
import { AssertionError, assert, LiquidError, Parser, type Template, Token, toValueSync } from 'liquidjs';
import { serveTasks } from '../../queue/serve-tasks.ts';
import { createLiquid } from './dialect.ts';
import { createContext, MAX_CODE_CHARACTERS, MeasuredTokenizer, ResultEmitter, TokenLine } from './limits.ts';
import {
  type Fault,
  type FillTask,
  type LiquidAnswer,
  type LiquidSource,
  type LiquidTask,
  OUT_OF_MEMORY,
  OUT_OF_TIME,
} from './messages.ts';
import { collectReferences, keepMarkup, type ParsedSource, PartLinker, withParts } from './parts.ts';

/** The total estimated size of parsed templates in the cache. */
const CACHE_BYTES = 64_000_000;

serveTasks(
  (task: LiquidTask): LiquidAnswer<unknown> => (task.kind === 'parse' ? parse(task) : fill(task)),
  (error, task): LiquidAnswer<unknown> => ({ fault: toFault(error, task) }),
);

function parse(source: LiquidSource): LiquidAnswer<{ paths: string[] }> {
  const root = parseHtml(source.html);
  if (!source.parts) return { value: { paths: findPaths(root.template, false) } };
  return { value: { paths: withParts(link(root, source), () => findPaths(root.template, true)) } };
}

function fill({ dataJson, limitBytes, fillTimeMs, ...source }: FillTask): LiquidAnswer<string> {
  const result = new ResultEmitter(limitBytes);
  try {
    const root = parseCached(source.key, source.html);
    const context = createContext(liquid, JSON.parse(dataJson), fillTimeMs);
    withParts(link(root, source), () =>
      toValueSync(liquid.renderer.renderTemplates(root.template, context, result) as Generator),
    );
  } catch (error) {
    if (!result.tooLarge) throw error;
    return { fault: { kind: 'size' } };
  }
  return result.tooLarge ? { fault: { kind: 'size', actual: result.bytes } } : { value: result.buffer };
}

function link(root: Parsed, { key, name = 'template', parts = [] }: LiquidSource) {
  return new PartLinker(parts, parseCached).link(root, [{ key, name }]);
}

type TopLevelTokens = Parameters<Parser['parseTokens']>[0];

interface Parsed extends ParsedSource {
  bytes: number;
}

class TemplateParser extends Parser {
  override parseToken(...given: Parameters<Parser['parseToken']>): ReturnType<Parser['parseToken']> {
    const template = super.parseToken(...given);
    keepMarkup(template);
    return template;
  }
}

const cache = new Map<string, Parsed>();

/** Returns the parsed template, from the cache if possible. The cache keeps the most recently used at its end. */
function parseCached(key: string, html: string): Parsed {
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
  const parsed = collectReferences(() => ({
    template: new TemplateParser(liquid).parseTokens(tokens as unknown as TopLevelTokens),
  }));
  const { characters, tags } = tokenizer;
  return { html, ...parsed, characters, tags, bytes: 2 * html.length + 200 * characters + 1600 * tags };
}

/** Replaces `getPosition`, because LiquidJS counts lines for each variable, which is not needed here: 12 s for 10,000 variables. */
function findPaths(template: Template[], partials: boolean): string[] {
  const { getPosition } = Token.prototype;
  Token.prototype.getPosition = () => [0, 0];
  try {
    const paths = liquid.globalFullVariablesSync(template, { partials });
    const length = paths.reduce((sum, path) => sum + path.length, 0);
    assert(length <= MAX_CODE_CHARACTERS, `more than ${MAX_CODE_CHARACTERS} characters in names of variables`); // x[y[z[...]]]
    return paths;
  } finally {
    Token.prototype.getPosition = getPosition;
  }
}

function toFault(error: unknown, { html, parts = [] }: LiquidTask): Fault {
  const cause = findCause(error);
  if (!LiquidError.is(error)) return { kind: 'template', message: describeCause(cause) };
  const { input } = error.token;
  const part = input === html ? undefined : parts.find((each) => 'html' in each && each.html === input);
  // A filter may use a string of the data as a property name, so the position of the error can be in that string.
  if (input !== html && !part) return { kind: 'template', message: FAILED };
  const [line = 1, column = 1] = error.token.getPosition();
  return { kind: 'template', message: describeCause(cause), line, column, ...(part && { part: part.name }) };
}

function findCause(error: unknown): Error {
  let cause = error as Error & { originalError?: Error };
  while (cause.originalError) cause = cause.originalError;
  return cause;
}

const FAILED = 'a filter or tag cannot process the values it received';
const MAX_MESSAGE_CHARACTERS = 200;

/** Messages of LiquidJS quote the template and are passed on. Messages of JavaScript may quote the data and are replaced. */
function describeCause(cause: Error): string {
  if (cause.message.startsWith('template render limit')) return OUT_OF_TIME;
  if (/^memory alloc limit|^Invalid string length|^Invalid array length/.test(cause.message)) return OUT_OF_MEMORY;
  if ((cause as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return OUT_OF_TIME;
  if (cause.message.startsWith('Maximum call stack')) return 'the template is nested too deeply';
  if (!(cause instanceof AssertionError || LiquidError.is(cause) || cause.constructor === Error)) return FAILED;
  const message = cause.message.replace(/, line:\d+, col:\d+$/, '');
  return message.length > MAX_MESSAGE_CHARACTERS ? `${message.slice(0, MAX_MESSAGE_CHARACTERS)}...` : message;
}

const liquid = createLiquid();
