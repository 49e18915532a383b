/**
 * Notes in the data folder which content was sent and which has arrived, so that a migration that was interrupted goes on where it
 * was, and knows what of the content there it has brought itself.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';

interface Digest {
  bytes: number;
  sha256: string;
}

/** Of content that was sent, its name alone. A line that broke off, when the process died, is none, or names nothing that exists. */
const LINE = /^(\w+)(?: (\d+) ([0-9a-f]{64}))?$/;

export class Journal {
  readonly #path: string;
  readonly #file: number;
  readonly #sent = new Set<string>();
  readonly #arrived = new Map<string, Digest>();

  private constructor(path: string, file: number, lines: string[]) {
    this.#path = path;
    this.#file = file;
    for (const line of lines) {
      const [, name, bytes, sha256] = LINE.exec(line) ?? [];
      if (name) this.#sent.add(name);
      if (name && sha256) this.#arrived.set(name, { bytes: Number(bytes), sha256 });
    }
  }

  /** `target` is where content goes: notes about another place do not count. */
  static open(path: string, target: string): Journal {
    const title = createHash('sha256').update(target).digest('hex');
    const [first, ...lines] = read(path).split('\n');
    const isSame = first === title;
    const file = openSync(path, isSame ? 'a' : 'w', 0o600);
    writeSync(file, isSame ? '\n' : `${title}\n`);
    return new Journal(path, file, isSame ? lines : []);
  }

  /** Whether this migration has sent it, now or before it was interrupted, whole or in part. */
  hasSent(name: string): boolean {
    return this.#sent.has(name);
  }

  /** What has arrived. */
  get(name: string): Digest | undefined {
    return this.#arrived.get(name);
  }

  /** To be called before anything of it is sent. */
  send(name: string): void {
    if (this.#sent.has(name)) return;
    this.#sent.add(name);
    writeSync(this.#file, `${name}\n`);
  }

  arrive(name: string, digest: Digest): void {
    if (this.#arrived.has(name)) return;
    this.#arrived.set(name, digest);
    writeSync(this.#file, `${name} ${digest.bytes} ${digest.sha256}\n`);
  }

  /** What is not there any more has to be sent again. */
  keepOnly(present: ReadonlySet<string>): void {
    for (const name of this.#arrived.keys()) if (!present.has(name)) this.#arrived.delete(name);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** The migration is complete. */
  remove(): void {
    rmSync(this.#path, { force: true });
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
