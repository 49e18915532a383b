/**
 * Records in the data folder which content was sent and which has arrived, so that an interrupted migration continues where it
 * stopped, and can tell its own content in the target from other content.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';

interface Digest {
  bytes: number;
  sha256: string;
}

/** A name alone means that its content was sent. A line cut off by a crash does not match, or names nothing that exists. */
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

  /** `target` is the destination. A journal about another destination is discarded. */
  static open(path: string, target: string): Journal {
    const title = createHash('sha256').update(target).digest('hex');
    const [first, ...lines] = read(path).split('\n');
    const isSame = first === title;
    const file = openSync(path, isSame ? 'a' : 'w', 0o600);
    writeSync(file, isSame ? '\n' : `${title}\n`);
    return new Journal(path, file, isSame ? lines : []);
  }

  /** Whether this migration has sent the content, in whole or in part, now or before an interruption. */
  hasSent(name: string): boolean {
    return this.#sent.has(name);
  }

  /** The digest of content that has arrived. */
  get(name: string): Digest | undefined {
    return this.#arrived.get(name);
  }

  /** Call it before any bytes of the content are sent. */
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

  /** Forgets arrivals that are no longer in the target, so that their content is sent again. */
  keepOnly(present: ReadonlySet<string>): void {
    for (const name of this.#arrived.keys()) if (!present.has(name)) this.#arrived.delete(name);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Deletes the journal after a complete migration. */
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
