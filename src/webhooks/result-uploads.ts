/** Results that a caller wants sent to an address: bytes in, requests under the egress policy out, tried again a few times. Nothing is written down. */
import { setTimeout as wait } from 'node:timers/promises';
import { type OutboundPolicy, Refusal } from '../egress/policy.ts';
import { type Attempt, type AttemptResult, attempt } from './attempt.ts';

export type Upload = Pick<Attempt, 'url' | 'headers' | 'body'> & { method: 'POST' | 'PUT' | 'PATCH' };

interface UploadSettings {
  webhookTimeoutMs: number;
}

/** Before each further attempt. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000];
const TOO_MANY_REQUESTS = 429;
const NOT_IMPLEMENTED = 501;

export class ResultUploads {
  readonly #policy: OutboundPolicy;
  readonly #settings: UploadSettings;
  readonly #onRefused: (details: { host: string; reason: string }) => void;

  constructor(policy: OutboundPolicy, settings: UploadSettings, onRefused: (details: { host: string; reason: string }) => void) {
    this.#policy = policy;
    this.#settings = settings;
    this.#onRefused = onRefused;
  }

  /** Whether it arrived. Never throws. */
  async send(upload: Upload, signal: AbortSignal): Promise<boolean> {
    for (let attempts = 0; !signal.aborted; attempts++) {
      const result = await attempt(this.#policy, { ...upload, timeoutMs: this.#settings.webhookTimeoutMs, signal });
      if (result.refusal) this.#onRefused({ host: new URL(upload.url).host, reason: result.refusal.message });
      if (hasArrived(result)) return true;
      const pause = RETRY_MS[attempts];
      if (pause === undefined || !mayArrive(result)) return false;
      await wait(pause, undefined, { signal, ref: false }).catch(() => {});
    }
    return false;
  }
}

function hasArrived({ status = 0 }: AttemptResult): boolean {
  return status >= 200 && status < 300;
}

/** Whether it makes sense to try again: nothing was answered, or something that may pass. */
function mayArrive({ status, refusal }: AttemptResult): boolean {
  if (status === undefined) return !(refusal instanceof Refusal && !refusal.netError);
  return status === TOO_MANY_REQUESTS || (status >= 500 && status !== NOT_IMPLEMENTED);
}
