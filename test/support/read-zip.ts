/** Reads ZIP archives with a library that checks every size and digest. */
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { expect } from 'vitest';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';

/** Returns the entries by name, in order. Fails if a name is invalid or occurs twice. */
export async function readZip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await open(bytes);
  const entries = new Map<string, Buffer>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  zip.on('error', reject).on('end', resolve);
  zip.on('entry', (entry: Entry) => {
    readEntry(zip, entry).then((content) => {
      expect(entries.has(entry.fileName)).toBe(false);
      entries.set(entry.fileName, content);
      zip.readEntry();
    }, reject);
  });
  zip.readEntry();
  await promise;
  return entries;
}

function open(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: true, strictFileNames: true }, (error, zip) => (error ? reject(error) : resolve(zip))),
  );
}

async function readEntry(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const content = await new Promise<Buffer>((resolve, reject) =>
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(buffer(stream)))),
  );
  expect(crc32(content)).toBe(entry.crc32);
  return content;
}
