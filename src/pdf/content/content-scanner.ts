/** Reads a content stream operator by operator (ISO 32000-1, 7.8.2): bytes in, calls with the operator and its operands out. */

export interface Operands {
  /** The offset of the first operand, or of the operator if it has none. */
  start: number;
  names: string[];
  /** The byte ranges of strings including their delimiters; the end is exclusive. */
  strings: Array<[from: number, to: number]>;
}

const [TAB, LINE_FEED, FORM_FEED, RETURN, SPACE] = [9, 10, 12, 13, 32];
const [PERCENT, OPEN, CLOSE, BACKSLASH, LESS, GREATER, SLASH] = [37, 40, 41, 92, 60, 62, 47];
const DELIMITERS = new Set([...Buffer.from('()<>[]{}/%')]);

type Visit = (operator: string, operands: Operands, end: number) => void;
type VisitComment = (from: number, to: number) => void;

/** Calls `visit` for each operator. Throws for inline images, which Chromium does not write. */
export function scanContent(bytes: Buffer, visit: Visit, visitComment?: VisitComment): void {
  let operands = noOperands();
  for (let at = afterSpace(bytes, 0); at < bytes.length; ) {
    const end = endOfPart(bytes, at);
    const byte = bytes[at] ?? SPACE;
    const isOperator = !DELIMITERS.has(byte) && !isOperand(bytes, at, end);
    if (operands.start < 0 && byte !== PERCENT) operands.start = at;
    if (isOperator) {
      visit(readOperator(bytes, at, end), operands, end);
      operands = noOperands();
    } else if (byte === PERCENT) visitComment?.(at, end);
    else addOperand(operands, bytes, at, end);
    at = afterSpace(bytes, end);
  }
}

const MAX_INLINE_IMAGES = 10_000;
const INLINE_IMAGE = /\s*BI\s[\s\S]*?\sEI(?![^\s\0])/y;

/** Does the same for content of others. An inline image, from `BI` to `EI`, is one operator `BI`. */
export function scanForeign(bytes: Buffer, visit: Visit, visitComment?: VisitComment): void {
  let [from, next] = [0, 0];
  const move = ([one, other]: [number, number]): [number, number] => [one + from, other + from];
  let isVisiting = false;
  const forward: Visit = (operator, { start, names, strings }, end) => {
    next = from + end;
    isVisiting = true;
    visit(operator, { start: start + from, names, strings: strings.map(move) }, next);
    isVisiting = false;
  };
  let text: string | undefined;
  for (let images = 0; images < MAX_INLINE_IMAGES; images++) {
    try {
      scanContent(from ? bytes.subarray(from) : bytes, forward, (start, end) => visitComment?.(start + from, end + from));
      return;
    } catch (error) {
      INLINE_IMAGE.lastIndex = next;
      text ??= bytes.toString('latin1');
      if (isVisiting || !INLINE_IMAGE.test(text)) throw error;
      from = INLINE_IMAGE.lastIndex;
      visit('BI', { start: next, names: [], strings: [] }, from);
      next = from;
    }
  }
  throw new Error('the content has too many inline images');
}

/** Does the same as `scanContent` for content of others. Its end is left out from an inline image on, and from what cannot be parsed. */
export function scanReadable(bytes: Buffer, visit: Visit): void {
  try {
    scanContent(bytes, visit);
  } catch {
    // It has been read as far as possible.
  }
}

function noOperands(): Operands {
  return { start: -1, names: [], strings: [] };
}

/** The operators (ISO 32000-1, Annex A) by their bytes as a number, because decoding each of them from the content takes long. */
const OPERATORS = new Map(
  `b B b* B* BDC BMC BT BX c cm CS cs d d0 d1 Do DP EMC ET EX f F f* G g gs h i j J K k l m M MP n q Q re RG rg ri s S
  SC sc SCN scn sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' "`
    .split(/\s+/)
    .map((operator) => [Buffer.from(operator).readUIntBE(0, operator.length), operator]),
);
const MAX_OPERATOR_BYTES = 3;

function readOperator(bytes: Buffer, from: number, to: number): string {
  const known = to - from <= MAX_OPERATOR_BYTES ? OPERATORS.get(bytes.readUIntBE(from, to - from)) : undefined;
  const operator = known ?? bytes.toString('latin1', from, to);
  if (operator === 'BI') throw new Error('the content has an inline image');
  return operator;
}

function addOperand(operands: Operands, bytes: Buffer, from: number, to: number): void {
  const byte = bytes[from];
  if (byte === SLASH) operands.names.push(bytes.toString('latin1', from + 1, to));
  else if (isString(bytes, from)) operands.strings.push([from, to]);
}

function isString(bytes: Buffer, at: number): boolean {
  return bytes[at] === OPEN || (bytes[at] === LESS && bytes[at + 1] !== LESS);
}

/** The end of the comment, string, name, number, operator or single bracket at an offset. */
function endOfPart(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? SPACE;
  if (byte === PERCENT) return endOfLine(bytes, at);
  if (byte === SLASH) return endOfToken(bytes, at + 1);
  if (isString(bytes, at)) return endOfString(bytes, at);
  if (byte === LESS || byte === GREATER) return at + 2;
  return DELIMITERS.has(byte) ? at + 1 : endOfToken(bytes, at);
}

function endOfString(bytes: Buffer, at: number): number {
  const end = bytes[at] === OPEN ? endOfLiteral(bytes, at) : bytes.indexOf(GREATER, at) + 1;
  if (!end) throw new Error('a string of the content has no end');
  return end;
}

function afterSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isSpace(bytes[at] ?? SPACE)) at++;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB || byte === FORM_FEED || byte === 0;
}

/** Whether a token is a number, `true`, `false` or `null`. */
function isOperand(bytes: Buffer, from: number, to: number): boolean {
  const first = bytes[from] ?? 0;
  if ((first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46) return true;
  return to - from >= 4 && /^(?:true|false|null)$/.test(bytes.toString('latin1', from, to));
}

function endOfToken(bytes: Buffer, from: number): number {
  let at = from;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? SPACE;
    if (isSpace(byte) || DELIMITERS.has(byte)) break;
  }
  return at;
}

function endOfLine(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LINE_FEED && bytes[at] !== RETURN) at++;
  return at;
}

/** The offset after a literal string, or 0 if it is not terminated. */
function endOfLiteral(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at++;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return at + 1;
  }
  return 0;
}

/** The MCID with which an operator begins marked content. `end` is the offset after the operator. */
export function readMcid(bytes: Buffer, { start }: Operands, end: number): number | undefined {
  const [, mcid] = /\/MCID\s+(\d+)/.exec(bytes.toString('latin1', start, end)) ?? [];
  return mcid === undefined ? undefined : Number(mcid);
}

export function stringBytes(bytes: Buffer, [from, to]: [number, number]): Buffer {
  if (bytes[from] === LESS) {
    const digits = bytes.toString('latin1', from + 1, to - 1).replace(/[^0-9a-f]/gi, '');
    return Buffer.from(digits.length % 2 ? `${digits}0` : digits, 'hex');
  }
  const text = bytes.toString('latin1', from + 1, to - 1);
  if (!text.includes('\\') && !text.includes('\r')) return Buffer.from(text, 'latin1');
  return Buffer.from(text.replace(/\\(?:([0-7]{1,3})|(\r\n?|\n)|([\s\S]))|\r\n?/g, unescapeText), 'latin1');
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

function unescapeText(_: string, octal?: string, lineEnd?: string, letter?: string): string {
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
  if (lineEnd !== undefined) return '';
  return letter === undefined ? '\n' : (ESCAPES[letter] ?? letter);
}

/** Decodes a text string: UTF-16 if it has a byte order mark, else Latin-1. */
export function decodeText(bytes: Buffer): string {
  return bytes[0] === 0xfe && bytes[1] === 0xff
    ? Buffer.from(bytes.subarray(2)).swap16().toString('utf16le')
    : bytes.toString('latin1');
}
