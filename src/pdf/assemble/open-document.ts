/** A PDF that is being assembled. */
import { PDF } from '@libpdf/core';
import type { PrintTexts } from '../forms/widget-texts.ts';
import type { Dropped } from '../merge/merge-catalog.ts';
import { ForeignPdf } from '../objects/foreign-pdf.ts';
import { writeWithObjectStreams } from '../objects/object-streams.ts';

/** Where a page comes from. */
export interface PagePlace {
  part: number;
  /** Counted from 1, and the number of pages of the part. */
  page: number;
  pages: number;
  title: string;
}

export interface OpenDocument {
  pdf: ForeignPdf;
  /** For each page, in their order. */
  places: PagePlace[];
  dropped: Dropped[];
  /** The numbers of pages that cut off a text which a step has drawn on them. */
  cut: number[];
  /** Is called before a PDF is read that was written here. */
  renew(): void;
  /** Is called before another PDF is read. Throws if it is damaged. */
  check(content: Uint8Array): void;
  /** Prints texts of form fields for the step that runs. Undefined without a browser. */
  print?: PrintTexts | undefined;
}

/** The PDF as it is now, written and read again. */
export async function copyOf(document: Pick<OpenDocument, 'pdf' | 'renew'>): Promise<PDF> {
  return (await rewrite(document)).copy;
}

/** Replaces the PDF by its copy, for functions of libpdf that work with pages: it keeps those that it has read. Returns what was written. */
export async function reopen(document: OpenDocument): Promise<Uint8Array> {
  const { written, copy } = await rewrite(document);
  document.pdf = new ForeignPdf(copy);
  return written;
}

async function rewrite({ pdf, renew }: Pick<OpenDocument, 'pdf' | 'renew'>): Promise<{ written: Uint8Array; copy: PDF }> {
  const written = writeWithObjectStreams(pdf).join();
  renew();
  return { written, copy: await PDF.load(written) };
}

export interface AssembledFile {
  content: Uint8Array;
  pages: number;
}

/** A step that cannot be done as it is. */
export class StepError extends Error {
  override name = 'StepError';
  readonly field: string;
  /** What else is wrong. */
  readonly others: readonly StepError[];

  /** `message` is a predicate such as `names page 5, and the document has 3`. */
  constructor(field: string, message: string, others: readonly StepError[] = []) {
    super(message);
    this.field = field;
    this.others = others;
  }
}
