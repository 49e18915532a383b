/** Reads a reply that has a PDF and the report of its render in JSON. */

import type { RenderedPdf as Reply, Report } from '../../clients/typescript/src/api.ts';

export type { Report, Warning } from '../../clients/typescript/src/api.ts';

export interface RenderedPdf {
  pdf: Uint8Array<ArrayBuffer>;
  pages: number;
  report: Report;
}

export async function readRenderedPdf(response: Response): Promise<RenderedPdf> {
  const { pdf, pages, report } = (await response.json()) as Reply;
  return { pdf: Uint8Array.from(atob(pdf), (letter) => letter.charCodeAt(0)), pages, report };
}
