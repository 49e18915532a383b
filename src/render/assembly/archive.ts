/** Puts several PDFs into a ZIP archive, as they are: PDFs are compressed already. */
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** The same files give the same bytes. */
const TIME = new Date(Date.UTC(2000, 0, 1));

export async function archiveOf(files: readonly Buffer[], nameOf: (index: number) => string): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [index, file] of files.entries())
    archive.addBuffer(file, nameOf(index), { compress: false, mtime: TIME, mode: 0o100644 });
  archive.end();
  return buffer(archive.outputStream);
}
