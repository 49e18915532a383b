/**
 * What log lines say about the request or batch item that the current code works for: where they come from, and what came of it. The
 * context is asynchronous, as that of a trace.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServiceError } from './errors.ts';

type Fields = Record<string, unknown>;

export interface WorkLog {
  /** The ids of the request or item, of its key and of its account. Lines about connections of its document have them too. */
  readonly origin: Fields;
  /** The error code, or what was rendered. Never text of a document or of its data. */
  readonly result: Fields;
  /** What only the request log of the owner says: no line has it. */
  readonly details: Details;
}

export interface Details {
  /** `html`, `url`, `template` ... */
  source?: string;
  templateId?: string | undefined;
  templateVersion?: number | undefined;
  /** Those that hold no text of the caller, and the names of the others. */
  options?: { kept: object; leftOut: string[] } | undefined;
  documentId?: string | undefined;
  warningKinds?: string[];
  error?: ServiceError;
  /** What the page showed when the render failed. */
  picture?: { jpeg: Buffer; accountId: string; keptMs: number } | undefined;
}

/** A rendered result, as a line describes it. */
interface Rendered {
  bytes: number;
  /** Absent for an image. */
  pages?: number;
  report: { warning_count: number; warnings: ReadonlyArray<{ kind: string }> };
  timings: Record<string, number>;
}

const active = new AsyncLocalStorage<WorkLog>();

export function openWorkLog(origin: Fields): WorkLog {
  return { origin, result: {}, details: {} };
}

export function inWorkLog<T>(log: WorkLog, work: () => T): T {
  return active.run(log, work);
}

/** The origin of the current work, for lines that are written elsewhere. */
export function currentOrigin(): Fields {
  return active.getStore()?.origin ?? {};
}

export function noteResult(fields: Fields): void {
  Object.assign(active.getStore()?.result ?? {}, fields);
}

export function noteDetails(details: Details): void {
  Object.assign(active.getStore()?.details ?? {}, details);
}

/** `timings` are those of the phases that a failed render reached. */
export function noteFailed(timings: Partial<Record<string, number>>): void {
  noteResult({ stages: timings });
}

/** `stages` are milliseconds. */
export function noteRendered({ bytes, pages, report, timings }: Rendered): void {
  noteResult({ ...(pages !== undefined && { pages }), bytes, warnings: report.warning_count, stages: timings });
  if (report.warning_count) noteDetails({ warningKinds: [...new Set(report.warnings.map(({ kind }) => kind))] });
}
