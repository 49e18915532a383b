/** Shows the progress of a batch: a bar in a terminal, and a line for each item that fails and for each warning. */
import { Presets, SingleBar } from 'cli-progress';
import type { ItemResult } from './batch-output.ts';
import { describeWarning } from './render-file.ts';

export interface BatchProgress {
  /** `end` is the offset in the input at which the line of this item ends. */
  add(result: ItemResult, end: number): void;
  stop(): void;
}

/** `inputBytes` is undefined if the size of the input is not known. */
export function showProgress(inputBytes: number | undefined): BatchProgress {
  return process.stderr.isTTY ? new Bar(inputBytes) : { add: (result) => toLines(result).forEach(printLine), stop: () => {} };
}

const COUNTS = '{done} done, {failed} failed';

class Bar implements BatchProgress {
  readonly #bar: SingleBar;
  readonly #lines: string[] = [];
  #more = 0;
  #done = 0;
  #failed = 0;
  #read = 0;

  constructor(inputBytes: number | undefined) {
    const format = inputBytes === undefined ? COUNTS : `{bar} {percentage}% | ${COUNTS}`;
    this.#bar = new SingleBar({ format, hideCursor: true, stream: process.stderr }, Presets.shades_classic);
    this.#bar.start(inputBytes ?? 0, 0, { done: 0, failed: 0 });
  }

  add(result: ItemResult, end: number): void {
    this.#done++;
    if (result.status === 'failed') this.#failed++;
    for (const line of toLines(result))
      if (this.#lines.length < MAX_LINES) this.#lines.push(line);
      else this.#more++;
    this.#read = Math.max(this.#read, end);
    this.#bar.update(this.#read, { done: this.#done, failed: this.#failed });
  }

  stop(): void {
    this.#bar.stop();
    this.#lines.forEach(printLine);
    if (this.#more) printLine(`${this.#more} more failures and warnings, see results.ndjson`);
  }
}

/** Maximum number of failures and warnings that are printed below the bar. */
const MAX_LINES = 20;

function toLines({ line, reference, error, warnings = [] }: ItemResult): string[] {
  const named = reference === null ? '' : ` (${JSON.stringify(reference)})`;
  const told = [...(error ? [error.detail] : []), ...warnings.map(describeWarning)];
  return told.map((each) => `line ${line}${named}: ${each}`);
}

function printLine(line: string): void {
  process.stderr.write(`platen: ${escapeInvisible(line)}\n`);
}

/** Replaces control and invisible characters, which could affect the terminal, by their code points. */
function escapeInvisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
