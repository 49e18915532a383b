/** Options about what depends on the pages of a document. */
import type { ContentsOrder } from '../../in-page/contract/paged.ts';
import type { PdfOptions } from './schemas/options-schema.ts';
import { DEFAULT_CONTENTS } from './schemas/paged-schema.ts';

export interface PagedPlan {
  /** A table of contents to make. */
  contents: ContentsOrder | undefined;
}

export function parsePaged({ toc }: PdfOptions): PagedPlan {
  return { contents: toc && { ...DEFAULT_CONTENTS, ...toc } };
}
