/** Splits values of CSS into their parts (css-content-3, 2). */

export type ContentPart =
  | { kind: 'string'; text: string; written: string }
  | { kind: 'call'; name: string; readonly args: string[]; written: string }
  | { kind: 'word'; text: string; written: string };

const TOKEN = /"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|(-?[\w-]+)\(|[^\s"'(),]+|[\s(),]/g;

/** The parts of one value. Commas outside of functions are words. */
export function parseContent(value: string): ContentPart[] {
  const parts: ContentPart[] = [];
  for (let at = 0; at < value.length; ) {
    const part = readPart(value, at);
    at += part.written.length;
    if (part.kind !== 'word' || part.text.trim()) parts.push(part);
  }
  return parts;
}

/** Splits a value at its commas outside of strings and functions. */
export function splitList(value: string): string[] {
  const items = [''];
  for (let at = 0; at < value.length; ) {
    const { written } = readPart(value, at);
    at += written.length;
    if (written === ',') items.push('');
    else items[items.length - 1] += written;
  }
  return items.map((item) => item.trim());
}

function readPart(value: string, at: number): ContentPart {
  TOKEN.lastIndex = at;
  const token = TOKEN.exec(value);
  if (!token || token.index !== at) return { kind: 'word', text: value[at] ?? '', written: value[at] ?? '' };
  const [written, double, single, name] = token;
  const text = double ?? single;
  if (text !== undefined) return { kind: 'string', text: unescapeText(text), written };
  if (name === undefined) return { kind: 'word', text: written, written };
  const end = findEnd(value, at + written.length);
  const inner = value.slice(at + written.length, end);
  const whole = value.slice(at, end + 1);
  return {
    kind: 'call',
    name: name.toLowerCase(),
    /** Read only where they are needed, because calls may be deep in each other. */
    get args() {
      return splitList(inner);
    },
    written: whole,
  };
}

/** The position of the parenthesis that closes the one before `start`. */
function findEnd(value: string, start: number): number {
  let depth = 1;
  for (TOKEN.lastIndex = start; depth > 0; ) {
    const token = TOKEN.exec(value);
    if (!token) return value.length;
    const [written] = token;
    if (written.endsWith('(')) depth++;
    if (written === ')' && --depth === 0) return token.index;
  }
  return value.length;
}

function unescapeText(text: string): string {
  return text.replace(/\\(?:([\da-f]{1,6})\s?|(\n)|([\s\S]))/gi, (_, code?: string, line?: string, other = '') => {
    if (line !== undefined) return '';
    const point = code === undefined ? Number.NaN : Number.parseInt(code, 16);
    return Number.isNaN(point) ? other : toCharacter(point);
  });
}

function toCharacter(point: number): string {
  return point === 0 || point > 0x10_ff_ff ? '\uFFFD' : String.fromCodePoint(point);
}
