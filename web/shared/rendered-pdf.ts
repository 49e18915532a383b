/** Reads a reply that has a PDF and the report of its render in JSON. */

export interface RenderedPdf {
  pdf: Uint8Array<ArrayBuffer>;
  pages: number;
  report: Report;
}

export interface Report {
  network: { requests: number; bytes: number; contacted: string[]; refused: string[] };
  warnings: Warning[];
  warning_count: number;
  timings: Record<string, number>;
}

export interface Warning {
  kind: string;
  message: string;
  url?: string;
  host?: string;
  /** The URL of a style sheet, or `style`. */
  where?: string;
}

export async function readRenderedPdf(response: Response): Promise<RenderedPdf> {
  const { pdf, pages, report } = (await response.json()) as { pdf: string; pages: number; report: Report };
  return { pdf: Uint8Array.from(atob(pdf), (letter) => letter.charCodeAt(0)), pages, report };
}
