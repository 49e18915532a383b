/**
 * Lets Liquid templates render others and be laid out with them: parsed templates in, the parts that they may use out. The text of all
 * parts comes with the task. Holds what is being parsed and rendered for the whole process, which does one task at a time.
 */
import {
  assert,
  BlockTag,
  LayoutTag,
  type Liquid,
  Output,
  type Parser,
  RenderTag,
  type TagToken,
  type Template,
  type TopLevelToken,
} from 'liquidjs';
import { readReference } from '../references.ts';
import { limitFilter, MAX_CODE_CHARACTERS, MAX_TAGS } from './limits.ts';
import { type LiquidPart, MAX_DEPTH, MAX_PARTS } from './messages.ts';

/** A parsed template, and what it consists of. */
export interface ParsedSource {
  html: string;
  template: Template[];
  /** The names in its tags `render` and `layout`. */
  references: string[];
  characters: number;
  tags: number;
}

/** The parts that are parsed, by the names that refer to them. */
type LinkedParts = ReadonlyMap<string, ParsedSource>;
type Construction = [token: TagToken, rest: TopLevelToken[], liquid: Liquid, parser: Parser];

/** The name of a part: text in quotes. The service reads names before the template is parsed, so they cannot depend on data. */
const NAME = /^\s*(?:'([^'\\{]+)'|"([^"\\{]+)")/;

let references = new Set<string>();
let usable: LinkedParts = new Map();

export function registerParts(engine: Liquid): void {
  engine.registerTag('render', RenderPart);
  engine.registerTag('layout', LayoutPart);
  engine.registerTag('block', Block);
  const find = (name: string) => usable.get(name)?.template;
  Object.assign(engine, { _parsePartialFile: find, _parseLayoutFile: find });
}

/** Returns the result of `parse` with the names of the parts that it has come across. */
export function collectReferences<T>(parse: () => T): T & { references: string[] } {
  references = new Set();
  const parsed = parse();
  return { ...parsed, references: [...references] };
}

/** Does `work`, in which templates may use these parts. */
export function withParts<T>(parts: LinkedParts, work: () => T): T {
  usable = parts;
  try {
    return work();
  } finally {
    usable = new Map();
  }
}

/** The names and keys of the templates that contain each other, from the outside. */
type Path = ReadonlyArray<{ name: string; key: string }>;

/** Finds all parts that a template uses, directly or through others. Throws an error with the path of a missing part or a cycle. */
export class PartLinker {
  readonly #parts: ReadonlyMap<string, LiquidPart>;
  readonly #parse: (key: string, html: string) => ParsedSource;
  readonly #linked = new Map<string, ParsedSource>();
  /** How many levels are below a part, so that each is followed only once. */
  readonly #depths = new Map<string, number>();
  #characters = 0;
  #tags = 0;

  constructor(parts: readonly LiquidPart[], parse: (key: string, html: string) => ParsedSource) {
    this.#parts = new Map(parts.map((part) => [part.name, part]));
    this.#parse = parse;
  }

  link(root: ParsedSource, path: Path): LinkedParts {
    this.#follow(root, path);
    return this.#linked;
  }

  /** Returns how many levels are below a template. */
  #follow(source: ParsedSource, path: Path): number {
    this.#characters += source.characters;
    this.#tags += source.tags;
    if (this.#characters > MAX_CODE_CHARACTERS || this.#tags > MAX_TAGS) fail(path, 'the parts have too many tags together');
    return source.references.reduce((deepest, name) => Math.max(deepest, 1 + this.#followPart(name, path)), 0);
  }

  #followPart(name: string, above: Path): number {
    const part = this.#parts.get(name);
    const path = [...above, { name, key: part && 'key' in part ? part.key : '' }];
    if (!part) return fail(path, 'there is no template of this name, or it belongs to another key');
    if ('problem' in part) return fail(path, part.problem);
    if (above.some(({ key }) => key === part.key)) fail(path, 'a template cannot contain itself');
    const known = this.#depths.get(name);
    if (above.length + (known ?? 0) > MAX_DEPTH) fail(path, `parts are nested more than ${MAX_DEPTH} deep`);
    if (known !== undefined) return known;
    const source = this.#parse(part.key, part.html);
    this.#linked.set(name, source);
    if (this.#linked.size > MAX_PARTS) fail(path, `a template uses more than ${MAX_PARTS} parts`);
    const depth = this.#follow(source, path);
    this.#depths.set(name, depth);
    return depth;
  }
}

function fail(path: Path, message: string): never {
  throw new Error(`${path.map(({ name }) => name).join(' > ')}: ${message}`);
}

/** `{{ block.super }}` is markup that was escaped already. It is still measured. */
export function keepMarkup(template: Template): void {
  if (!(template instanceof Output) || template.token.content.trim() !== 'block.super') return;
  for (const filter of template.value.filters) Object.assign(filter, { handler: unescaped });
}

const unescaped = limitFilter('raw', (value) => value);

interface Binding {
  alias?: string;
}

/** Without a name of its own, a value has the name of the part. */
class RenderPart extends RenderTag {
  readonly #name: string;
  readonly #variables: string[];

  constructor(...construction: Construction) {
    const name = noteReference(construction[0]); // before its text is read further
    super(...construction);
    this.#name = name;
    const {
      with: single,
      forBinding: each,
      hash,
    } = this as unknown as { with?: Binding; forBinding?: Binding; hash: { hash: object } };
    const bindings = [single, each].filter((binding) => binding !== undefined);
    for (const binding of bindings) binding.alias ??= readReference(this.#name).name;
    this.#variables = [...Object.keys(hash.hash), ...bindings.map(({ alias = '' }) => alias), 'forloop'];
  }

  /** LiquidJS follows values that are renamed only through one part, and not into lists. */
  override partialScope() {
    return { name: this.#name, isolated: true, scope: this.#variables };
  }
}

class LayoutPart extends LayoutTag {
  constructor(...construction: Construction) {
    if (!/^\s*none\s*$/.test(construction[0].args)) noteReference(construction[0]);
    super(...construction);
  }
}

/** Names of blocks are members of an object, which has inherited ones. */
class Block extends BlockTag {
  constructor(...construction: Construction) {
    super(...construction);
    if (this.block) this.block = `.${this.block}`;
  }
}

function noteReference({ args }: TagToken): string {
  const [, single, double] = NAME.exec(args) ?? [];
  const name = single ?? double;
  assert(name, 'the name of a part must be text in quotes, without braces and backslashes');
  references.add(name as string);
  return name as string;
}
