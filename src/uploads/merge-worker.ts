/** The process that merges uploaded PDFs: their bytes and titles in, one PDF or the index of an unusable file out. */
import { PDF } from '@libpdf/core';
import { limitDecoding } from '../pdf/decoding-limit.ts';
import { MergedFile, MergedTooLargeError } from '../pdf/edit/merge.ts';
import { ChunkedBuffer } from '../pdf/objects/chunked-buffer.ts';
import { isEncrypted } from '../pdf/objects/cross-reference.ts';
import { hasSignature } from '../pdf/security/signature-field.ts';
import { serveTasks } from '../queue/serve-tasks.ts';
import { finishMerged, type MergedFinishing } from './finish-merged.ts';
import { limitEmptyWords, throwIfStuck } from './patch-text-decoder.ts';
import { requireStreamEnds } from './require-stream-ends.ts';

export interface MergeUploadsTask {
  files: Array<{ title: string; content: Uint8Array }>;
  /** Maximum decompressed size of the objects of all files together. */
  maxUnpackedBytes: number;
  /** Maximum size of the merged PDF. */
  maxPdfBytes: number;
  finishing: MergedFinishing | undefined;
}

export type MergedUploads = { pdf: Uint8Array; pages: number } | { unusable: number; because: string } | 'too large';

serveTasks(merge);

async function merge(task: MergeUploadsTask): Promise<MergedUploads> {
  limitDecoding(task.maxUnpackedBytes);
  limitEmptyWords();
  try {
    return await mergeAll(task);
  } catch (error) {
    if (error instanceof MergedTooLargeError) return 'too large';
    throw error;
  }
}

async function mergeAll({ files, maxPdfBytes, maxUnpackedBytes, finishing }: MergeUploadsTask): Promise<MergedUploads> {
  const merged = new MergedFile(maxPdfBytes);
  for (const [index, { title, content }] of files.entries()) {
    try {
      if (isProtected(content)) return { unusable: index, because: 'is protected by a password' };
      requireStreamEnds(content);
      const pdf = await PDF.load(content);
      if (pdf.isEncrypted) return { unusable: index, because: 'is protected by a password' };
      if (hasSignature(pdf)) return { unusable: index, because: 'is signed, and merging would break its signature' };
      merged.add(pdf, title, new Map());
      throwIfStuck();
    } catch (error) {
      if (error instanceof MergedTooLargeError) throw error;
      return { unusable: index, because: 'is damaged, or not a PDF' };
    }
  }
  const pdf = merged.end().join();
  limitDecoding(maxUnpackedBytes);
  return { pdf: await finishMerged(pdf, finishing), pages: merged.pages };
}

/** Checks for encryption before parsing, because a PDF with a user password cannot be parsed. */
function isProtected(content: Uint8Array): boolean {
  try {
    return isEncrypted(new ChunkedBuffer([Buffer.from(content.buffer, content.byteOffset, content.byteLength)]));
  } catch {
    return false; // the file has no valid `startxref` at its end
  }
}
