/** The process that merges PDFs from outside: their bytes and titles in, one PDF out, or which of them cannot be merged. */
import { PDF } from '@libpdf/core';
import { limitDecoding } from '../pdf/decoding-limit.ts';
import { MergedFile } from '../pdf/edit/merge.ts';
import { ChunkedBuffer } from '../pdf/objects/chunked-buffer.ts';
import { isEncrypted } from '../pdf/objects/cross-reference.ts';
import { serveTasks } from '../queue/serve-tasks.ts';

export interface MergeUploadsTask {
  files: Array<{ title: string; content: Uint8Array }>;
  /** What the objects of all files together may unpack to. */
  maxUnpackedBytes: number;
}

export type MergedUploads = { pdf: Uint8Array; pages: number } | { unusable: number; because: string };

serveTasks(merge);

async function merge({ files, maxUnpackedBytes }: MergeUploadsTask): Promise<MergedUploads> {
  limitDecoding(maxUnpackedBytes);
  const merged = new MergedFile();
  for (const [index, { title, content }] of files.entries()) {
    try {
      if (isProtected(content)) return { unusable: index, because: 'is protected by a password' };
      const pdf = await PDF.load(content);
      if (pdf.isEncrypted) return { unusable: index, because: 'is protected by a password' };
      merged.add(pdf, title, new Map());
    } catch {
      return { unusable: index, because: 'is damaged, or not a PDF' };
    }
  }
  return { pdf: merged.end().join(), pages: merged.pages };
}

/** Those with a password that opens them cannot even be parsed. */
function isProtected(content: Uint8Array): boolean {
  try {
    return isEncrypted(new ChunkedBuffer([Buffer.from(content.buffer, content.byteOffset, content.byteLength)]));
  } catch {
    return false; // its end is not where it is looked for
  }
}
