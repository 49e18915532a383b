/** Shows the progress of a batch: a bar in a terminal, otherwise a line for each item that fails. */
import { Presets, SingleBar } from 'cli-progress';
import type { ItemResult } from './batch-output.ts';

export interface BatchProgress {
  /** `end` is the offset in the input at which the line of this item ends. */
  add(result: ItemResult, end: number): void;
  stop(): void;
}

/** `inputBytes` is undefined if the size of the input is not known. */
export function showProgress(inputBytes: number | undefined): BatchProgress {
  return process.stderr.isTTY ? new Bar(inputBytes) : { add: (result) => printFailure(result), stop: () => {} };
}

const COUNTS = '{done} done, {failed} failed';

class Bar implements BatchProgress {
  readonly #bar: SingleBar;
  readonly #failures: ItemResult[] = [];
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
    if (result.status === 'failed' && this.#failures.length < MAX_FAILURES) this.#failures.push(result);
    this.#read = Math.max(this.#read, end);
    this.#bar.update(this.#read, { done: this.#done, failed: this.#failed });
  }

  stop(): void {
    this.#bar.stop();
    for (const result of this.#failures) printFailure(result);
    const more = this.#failed - this.#failures.length;
    if (more) process.stderr.write(`platen: ${more} more failed, see results.ndjson\n`);
  }
}

/** Maximum number of failures that are printed below the bar. */
const MAX_FAILURES = 20;

function printFailure({ line, status, reference, error }: ItemResult): void {
  if (status !== 'failed') return;
  const named = reference === null ? '' : ` (${JSON.stringify(reference)})`;
  process.stderr.write(`platen: line ${line}${visible(named)}: ${visible(error?.detail ?? '')}\n`);
}

/** Replaces control and invisible characters, which could affect the terminal, by their code points. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
