/** Creates sample data for a template: its text and the paths that it reads in, an object with a value at each path out. */
import type { TemplateRecord } from './records.ts';

interface Node {
  value: string | number;
  isList: boolean;
  members: Map<string, Node>;
}

/** The variables of the enclosing loops, each with the list that it iterates over. */
type Scope = Array<{ name: string; list: Node | undefined }>;

/** The values that the template reads from the top level of the data, by path. */
type Globals = ReadonlyMap<string, Node>;

const ROWS = 2;
const NUMBER = 10;
const CODE_START = /\{[%{]/g;
const CODE_END = /[%}]\}/g;
const UNREAD = /^-?\s*(comment|raw)\s*-?$/;
const UNREAD_END: Record<string, RegExp> = {
  comment: /\{%-?\s*endcomment\s*-?%\}/g,
  raw: /\{%-?\s*endraw\s*-?%\}/g,
};
const STRING = /"[^"]*"|'[^']*'/g;
const LOOP = /^-?\s*(?:for|tablerow)\s+([\w-]+)\s+in\s+([\w.[\]-]+)/;
const LOOP_START = /^-?\s*(?:for|tablerow)\b/;
const LOOP_END = /^-?\s*end(?:for|tablerow)\b/;
const PATH = /(?<![\w.|]|\| )[A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*/g;
const CALCULATED =
  /(?:(?:^-?|=)\s*([\w.[\]-]+)(?=\s*\|\s*(?:abs|ceil|divided_by|floor|minus|modulo|money|plus|round|times)\b))|\|\s*(?:divided_by|minus|modulo|plus|times)\s*:\s*([\w.[\]-]+)/g;

/** The value at a path is the path itself, or a number if the template calculates with it. A list has two elements. */
export function createSample({
  html = '',
  engine,
  placeholders,
}: Pick<TemplateRecord, 'html' | 'engine' | 'placeholders'>): string {
  const root = newNode('');
  const globals = new Map(placeholders.map((path) => [path, put(root, path)]));
  if (engine === 'liquid') readLiquid(globals, html);
  return JSON.stringify(root.members.size ? toData(root) : {}, null, 2);
}

/** The service reports the paths from the top level of the data. The paths inside list elements are found in the loops. */
function readLiquid(globals: Globals, html: string): void {
  const scope: Scope = [];
  for (const text of findCodes(html)) {
    const code = text.replace(STRING, '""').replace(/\s+/g, ' ');
    readPaths(globals, scope, code);
    if (LOOP_END.test(code)) scope.pop();
    else if (LOOP_START.test(code)) scope.push(parseLoop(globals, scope, code));
  }
}

/** Returns what is in braces, and leaves out comments and raw text. Reads each character once. */
function* findCodes(html: string): Generator<string> {
  for (let start = after(CODE_START, html, 0); start !== undefined; ) {
    const end = after(CODE_END, html, start);
    if (end === undefined) return;
    const code = html.slice(start, end - 2);
    const [, unread] = UNREAD.exec(code) ?? [];
    if (!unread) yield code;
    const next = unread ? after(UNREAD_END[unread] as RegExp, html, end) : end;
    start = next === undefined ? undefined : after(CODE_START, html, next);
  }
}

function after(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function readPaths(globals: Globals, scope: Scope, code: string): void {
  for (const [path] of code.matchAll(PATH)) findNode(globals, scope, path);
  for (const [, first, argument] of code.matchAll(CALCULATED)) {
    const node = findNode(globals, scope, first ?? argument ?? '');
    if (node) node.value = NUMBER;
  }
}

function parseLoop(globals: Globals, scope: Scope, code: string): Scope[number] {
  const [, name = '', path = ''] = LOOP.exec(code) ?? [];
  const list = findNode(globals, scope, path);
  if (list) {
    list.isList = true;
    list.value = name;
  }
  return { name, list };
}

/** Returns undefined for a variable that the template sets itself. */
function findNode(globals: Globals, scope: Scope, path: string): Node | undefined {
  const [head] = splitPath(path);
  const around = scope.findLast(({ name }) => name === head);
  if (!around) return globals.get(path);
  return around.list && put(around.list, path, 1);
}

/** Returns the node of a path, without as many of its first steps as are given. A number in the path makes a list. */
function put(root: Node, path: string, skipped = 0): Node {
  let node = root;
  for (const step of splitPath(path).slice(skipped)) {
    if (/^\d+$/.test(step)) node.isList = true;
    else node = member(node, step, path);
  }
  return node;
}

function member(node: Node, name: string, path: string): Node {
  const known = node.members.get(name) ?? newNode(path);
  node.members.set(name, known);
  return known;
}

function splitPath(path: string): string[] {
  return path.split(/[.[\]"']+/).filter(Boolean);
}

function newNode(value: string): Node {
  return { value, isList: false, members: new Map() };
}

function toData({ value, isList, members }: Node): unknown {
  if (isList) members.delete('size'); // a list has one of its own
  const one = members.size ? toObject(members) : value;
  return isList ? Array.from({ length: ROWS }, () => one) : one;
}

/** The object has no prototype: a path may be called `__proto__`. */
function toObject(members: Map<string, Node>): object {
  const object = Object.create(null) as Record<string, unknown>;
  for (const [name, node] of members) object[name] = toData(node);
  return object;
}
