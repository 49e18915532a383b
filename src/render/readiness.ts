/** Checks whether the service can render by rendering a small document, at most every few seconds. */
import { ServiceError } from '../errors.ts';
import { type PrintEngine, printAlone } from './pdf.ts';
import { parseRenderRequest } from './request/render-request.ts';

const KEPT_MS = 5_000;
const PROBE = '<p>ready?</p>';
const PROBE_TIMEOUT_MS = 5_000;
/** The probe has its own owner, so it never uses a page of a customer. */
const PROBE_OWNER = { boundary: 'readiness', shareOf: 'readiness' };

/** Returns a function that rejects when a small document cannot be rendered now. */
export function createReadiness(engine: PrintEngine): () => Promise<void> {
  const limits = { renderTimeoutMs: PROBE_TIMEOUT_MS, maxRenderTimeoutMs: PROBE_TIMEOUT_MS };
  const request = parseRenderRequest({ html: PROBE }, limits);
  let goodUntil = 0;
  let running: Promise<void> | undefined;

  const probe = async () => {
    const pdf = await printAlone(engine, request, PROBE_OWNER);
    if (pdf.pages !== 1) throw new Error(`the probe has ${pdf.pages} pages`);
    goodUntil = performance.now() + KEPT_MS;
  };

  return async () => {
    if (engine.pool.draining) throw new ServiceError('shutting_down', 'the service is shutting down');
    if (performance.now() < goodUntil || engine.pool.resting) return; // a probe would start the browser again
    running ??= probe().finally(() => {
      running = undefined;
    });
    await running;
  };
}
