/** Reads the files of a backup in sequence from a folder or a tar archive. */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { CommandError } from '../../errors.ts';
import { HEADER } from './format.ts';

export interface BackupEntry {
  name: string;
  /** Read it to its end before you request the next entry. */
  content: Readable;
}

/** `source` is a folder, an archive, or `-` for standard input. The header comes first. Throws `CommandError`. */
export async function* readBackup(source: string, stdin: Readable): AsyncGenerator<BackupEntry> {
  if (source === '-') yield* readArchive(stdin);
  else if ((await stat(source)).isDirectory()) yield* readFolder(source);
  else yield* readArchive(createReadStream(source));
}

async function* readFolder(folder: string): AsyncIterable<BackupEntry> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  if (!names.includes(HEADER)) throw new CommandError(`${folder} is not a backup of Platen: it has no ${HEADER}`);
  const isHeader = (name: string) => Number(name === HEADER);
  for (const name of names.toSorted((a, b) => isHeader(b) - isHeader(a)))
    yield { name, content: createReadStream(join(folder, name)) };
}

async function* readArchive(archive: Readable): AsyncIterable<BackupEntry> {
  const entries = extract();
  archive.on('error', (error) => entries.destroy(error)).pipe(entries);
  try {
    for await (const entry of entries) {
      if (entry.header.type !== 'file') throw new CommandError(`the archive contains ${entry.header.name}, which is not a file`);
      yield { name: entry.header.name, content: entry as unknown as Readable };
    }
  } finally {
    archive.destroy();
  }
}
