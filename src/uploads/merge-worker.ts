/** The process that merges uploaded PDFs: their bytes and titles in, one PDF or the index of an unusable file out. */
import { PDF } from '@libpdf/core';
import { ServiceError } from '../errors.ts';
import { limitDecoding } from '../pdf/decoding-limit.ts';
import { MergedFile, mergedTooLarge } from '../pdf/edit/merge.ts';
import { ChunkedBuffer } from '../pdf/objects/chunked-buffer.ts';
import { isEncrypted } from '../pdf/objects/cross-reference.ts';
import { type Refusal, toRefusal } from '../pdf/refusal.ts';
import { hasSignature } from '../pdf/security/signature-field.ts';
import { serveTasks } from '../queue/serve-tasks.ts';
import { finishMerged, type MergedFinishing } from './finish-merged.ts';
import { limitEmptyWords, throwIfStuck } from './patch-text-decoder.ts';
import { requireStreamEnds } from './require-stream-ends.ts';

export interface UploadedPdf {
  /** The title of its bookmark in the merged PDF. */
  title: string;
  content: Uint8Array;
}

export interface MergeUploadsTask {
  files: UploadedPdf[];
  /** Maximum decompressed size of the objects of all files together. */
  maxUnpackedBytes: number;
  maxPdfBytes: number;
  finishing: MergedFinishing | undefined;
}

export type MergedUploads = { pdf: Uint8Array; pages: number } | { unusable: number; because: string };

serveTasks(merge);

function merge(task: MergeUploadsTask): Promise<MergedUploads | Refusal> {
  limitDecoding(task.maxUnpackedBytes);
  limitEmptyWords();
  return toRefusal(() => mergeAll(task));
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
      if (error instanceof ServiceError) throw error;
      return { unusable: index, because: 'is damaged, or not a PDF' };
    }
  }
  const pdf = merged.end().join();
  limitDecoding(maxUnpackedBytes);
  return { pdf: await finishWithin(maxPdfBytes, pdf, finishing), pages: merged.pages };
}

async function finishWithin(maxBytes: number, pdf: Uint8Array, finishing: MergedFinishing | undefined): Promise<Uint8Array> {
  const finished = await finishMerged(pdf, finishing);
  if (finished.byteLength > maxBytes) throw mergedTooLarge(maxBytes);
  return finished;
}

/** Checks for encryption before parsing, because a PDF with a user password cannot be parsed. */
function isProtected(content: Uint8Array): boolean {
  try {
    return isEncrypted(new ChunkedBuffer([Buffer.from(content.buffer, content.byteOffset, content.byteLength)]));
  } catch {
    return false; // the file has no valid `startxref` at its end
  }
}
