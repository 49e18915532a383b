/** Copies content from one store to another and reads it back. Content that has arrived is not read again after an interruption. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { CommandError } from '../../errors.ts';
import type { NamedContent } from '../backup/snapshot.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Journal } from './journal.ts';

export interface MovedContent {
  files: number;
  bytes: number;
  /** Names of content that was missing or damaged in the source. */
  faults: string[];
}

interface Digest {
  bytes: number;
  sha256: string;
}

/** Number of blobs that are copied at the same time. */
const AT_ONCE = 8;

/** `from` and `to` may be the same store, which is then only read. Throws `CommandError` and `storage_failed`. */
export async function moveContent(
  { from, to }: { from: Blobs; to: Blobs },
  content: NamedContent[],
  journal: Journal,
  onProgress: (done: number) => void,
): Promise<MovedContent> {
  const moved: MovedContent = { files: 0, bytes: 0, faults: [] };
  const rest = content.values();
  let done = 0;
  const work = async () => {
    for (const named of rest) {
      const digest = journal.get(named.blob) ?? (await copyOne({ from, to }, named, journal));
      if (digest) {
        journal.arrive(named.blob, digest);
        moved.files++;
        moved.bytes += digest.bytes;
      }
      if (!digest || !matches(digest, named)) moved.faults.push(named.blob);
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return moved;
}

/** The digest of the content in the target; undefined if neither store has the content. */
async function copyOne(
  { from, to }: { from: Blobs; to: Blobs },
  named: NamedContent,
  journal: Journal,
): Promise<Digest | undefined> {
  const there = await digestAt(to, named.blob);
  if (there && (from === to || (named.sha256 !== null && matches(there, named)))) return there;
  const content = await from.read(named.blob);
  if (!content) return there;
  const sent = new Digesting();
  journal.send(named.blob);
  await to.put(named.blob, sent.pass(content));
  const arrived = await digestAt(to, named.blob);
  if (arrived?.sha256 !== sent.digest().sha256)
    throw new CommandError(`the content of ${named.blob} was changed on the way to the target`);
  return arrived;
}

function matches({ bytes, sha256 }: Digest, named: NamedContent): boolean {
  return (named.bytes ?? bytes) === bytes && (named.sha256 ?? sha256) === sha256;
}

async function digestAt(blobs: Blobs, name: string): Promise<Digest | undefined> {
  const content = await blobs.read(name);
  if (!content) return undefined;
  const digesting = new Digesting();
  for await (const _ of digesting.pass(content)); // reads the content to its end
  return digesting.digest();
}

class Digesting {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  async *pass(content: Readable): AsyncIterable<Buffer> {
    for await (const chunk of content) {
      this.#hash.update(chunk as Buffer);
      this.#bytes += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  }

  digest(): Digest {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }
}
