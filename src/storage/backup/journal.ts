/**
 * Records which content a restore has put into its target, so that an interrupted restore continues where it stopped, and can be told
 * from other content there.
 */
import { hash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { CommandError } from '../../errors.ts';
import { readChecksums } from './format.ts';

export class Journal {
  readonly #file: number;
  /** SHA-256 by the name of the content. */
  readonly #arrived: Map<string, string>;
  /** Whether an earlier restore was interrupted. */
  readonly isContinued: boolean;

  private constructor(file: number, arrived: Map<string, string>, isContinued: boolean) {
    this.#file = file;
    this.#arrived = arrived;
    this.isContinued = isContinued;
  }

  /** `header` is that of the backup. Throws `CommandError` if the journal is about another backup. */
  static open(path: string, header: string): Journal {
    const title = hash('sha256', header);
    const text = read(path);
    const [first = ''] = text.split('\n', 1);
    if (first && first !== title)
      throw new CommandError(
        `a restore of another backup into this data folder was interrupted: continue that one, or remove ${path} and what it has restored`,
      );
    const file = openSync(path, 'a', 0o600);
    writeSync(file, first ? '\n' : `${title}\n`);
    return new Journal(file, readChecksums(text), first !== '');
  }

  get(name: string): string | undefined {
    return this.#arrived.get(name);
  }

  add(name: string, sha256: string): void {
    this.#arrived.set(name, sha256);
    writeSync(this.#file, `${sha256}  ${name}\n`);
  }

  names(): Iterable<string> {
    return this.#arrived.keys();
  }

  close(): void {
    closeSync(this.#file);
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
