/** Follows the operators that place graphics and text (ISO 32000-1, 8.4, 9.3 and 9.4): operators in, matrices and sizes out. */
import { IDENTITY, type Matrix, times } from '../objects/matrix.ts';
import type { Operands } from './content-scanner.ts';

/** What q saves and Q restores. */
interface Values {
  matrix: Matrix;
  /** The name of the font in the resources. */
  font: string;
  size: number;
  characterSpacing: number;
  wordSpacing: number;
  scale: number;
  leading: number;
  rise: number;
  /** The name of the pattern with which paths are filled. Empty for a colour. */
  pattern: string;
  /** The same for strokes. */
  strokePattern: string;
}

const NUMBER = /(?<![\w./+-])[-+]?(?:\d+\.?\d*|\.\d+)(?![\w.])/g;
const SETS_FILL = new Set(['cs', 'sc', 'scn', 'g', 'rg', 'k']);
const SETS_STROKE = new Set(['CS', 'SC', 'SCN', 'G', 'RG', 'K']);
const WITH_NUMBERS = new Set(['cm', 'Tm', 'Td', 'TD', 'T*', 'Tf', 'Tc', 'Tw', 'Tz', 'TL', 'Ts', "'", '"']);

export class GraphicsState {
  now: Values;
  readonly #saved: Values[] = [];
  #line: Matrix = IDENTITY;
  #at: Matrix = IDENTITY;

  constructor(matrix: Matrix) {
    const text = { font: '', size: 0, characterSpacing: 0, wordSpacing: 0, scale: 1, leading: 0, rise: 0 };
    this.now = { matrix, ...text, pattern: '', strokePattern: '' };
  }

  /** The matrix of the next glyph. */
  get textMatrix(): Matrix {
    return times(this.#at, this.now.matrix);
  }

  /** Call it for each operator, before text is shown. */
  visit(content: Buffer, operator: string, { start, names }: Operands, end: number): void {
    if (operator === 'q') this.#saved.push({ ...this.now });
    else if (operator === 'Q') this.now = this.#saved.pop() ?? this.now;
    else if (operator === 'BT') this.#line = this.#at = IDENTITY;
    else if (SETS_FILL.has(operator)) this.now.pattern = toPattern(operator, names);
    else if (SETS_STROKE.has(operator)) this.now.strokePattern = toPattern(operator, names);
    else if (WITH_NUMBERS.has(operator)) this.#set(operator, readNumbers(content, start, end), names.at(-1) ?? '');
  }

  #set(operator: string, [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: number[], name: string): void {
    const { now } = this;
    if (operator === 'cm') now.matrix = times([a, b, c, d, e, f], now.matrix);
    else if (operator === 'Tm') this.#line = this.#at = [a, b, c, d, e, f];
    else if (operator === 'Tf') [now.font, now.size] = [name, a];
    else if (operator === 'Tc') now.characterSpacing = a;
    else if (operator === 'Tw') now.wordSpacing = a;
    else if (operator === 'Tz') now.scale = a / 100;
    else if (operator === 'TL') now.leading = a;
    else if (operator === 'Ts') now.rise = a;
    else this.#beginLine(operator, a, b);
  }

  #beginLine(operator: string, a: number, b: number): void {
    if (operator === 'TD') this.now.leading = -b;
    if (operator === '"') [this.now.wordSpacing, this.now.characterSpacing] = [a, b];
    const [x, y] = operator === 'Td' || operator === 'TD' ? [a, b] : [0, -this.now.leading];
    this.#line = this.#at = times([1, 0, 0, 1, x, y], this.#line);
  }

  /** Moves the next glyph along the line. */
  advance(length: number): void {
    const [a, b, c, d, e, f] = this.#at;
    const x = length * this.now.scale;
    this.#at = [a, b, c, d, e + x * a, f + x * b];
  }
}

function toPattern(operator: string, names: readonly string[]): string {
  return operator.toLowerCase() === 'scn' ? (names.at(-1) ?? '') : '';
}

export function readNumbers(content: Buffer, from: number, to: number): number[] {
  return (content.toString('latin1', from, to).match(NUMBER) ?? []).map(Number);
}
