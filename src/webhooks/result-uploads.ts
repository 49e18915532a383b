/**
 * Uploads results to a URL that the caller named, under the egress policy and with a few retries. The uploads are not stored, so
 * a restart loses them.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { OutboundPolicy } from '../egress/policy.ts';
import { traceHeaders } from '../tracing.ts';
import { type Attempt, attempt, isDelivered, mayRetry } from './attempt.ts';

export type Upload = Pick<Attempt, 'url' | 'headers' | 'body'> & { method: 'POST' | 'PUT' | 'PATCH' };

interface UploadSettings {
  webhookTimeoutMs: number;
}

/** The pause before each retry. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000];

export class ResultUploads {
  readonly #policy: OutboundPolicy;
  readonly #settings: UploadSettings;
  readonly #onRefused: (details: { host: string; reason: string }) => void;

  constructor(policy: OutboundPolicy, settings: UploadSettings, onRefused: (details: { host: string; reason: string }) => void) {
    this.#policy = policy;
    this.#settings = settings;
    this.#onRefused = onRefused;
  }

  /** Returns whether the receiver accepted the upload. Never throws. */
  async send(upload: Upload, signal: AbortSignal): Promise<boolean> {
    for (let attempts = 0; !signal.aborted; attempts++) {
      const result = await attempt(this.#policy, {
        ...upload,
        headers: { ...upload.headers, ...traceHeaders() },
        timeoutMs: this.#settings.webhookTimeoutMs,
        signal,
      });
      if (result.refusal) this.#onRefused({ host: new URL(upload.url).host, reason: result.refusal.message });
      if (isDelivered(result)) return true;
      const pause = RETRY_MS[attempts];
      if (pause === undefined || !mayRetry(result)) return false;
      await wait(pause, undefined, { signal, ref: false }).catch(() => {});
    }
    return false;
  }
}
