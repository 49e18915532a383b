/** Sends a render request: a body in, a PDF with its report out. */
import { request } from '../shared/api.ts';
import type { RenderBody } from './render-body.ts';

export interface Warning {
  kind: string;
  message: string;
  url?: string;
  host?: string;
}

export interface Report {
  network: { requests: number; bytes: number; contacted: string[]; refused: string[] };
  warnings: Warning[];
  warning_count: number;
  timings: Record<string, number>;
}

export interface Rendered {
  body: RenderBody;
  pdf: Uint8Array<ArrayBuffer>;
  pages: number;
  report: Report;
  /** The time from the request to the last byte, as measured here. */
  elapsedMs: number;
}

/** Throws `Problem`, `TypeError` if there is no connection, and `AbortError`. */
export async function renderPdf(body: RenderBody, signal: AbortSignal): Promise<Rendered> {
  const begin = performance.now();
  const response = await request('/v1/playground/pdf', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  const { pdf, pages, report } = (await response.json()) as { pdf: string; pages: number; report: Report };
  return { body, pdf: fromBase64(pdf), pages, report, elapsedMs: performance.now() - begin };
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
