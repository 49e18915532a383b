/** The row of something that is about to be delivered: a webhook or an upload. */
import { currentTraceparent } from '../tracing.ts';

interface NewDelivery {
  id: string;
  accountId: string;
  keyId: string;
  type: string;
  url: string;
  payload: string;
  now: number;
}

/** All but when it is due, and what only an upload has. */
export function deliveryRow({ id, accountId, keyId, type, url, payload, now }: NewDelivery) {
  return {
    ...{ id, account_id: accountId, key_id: keyId, type, url, payload },
    host: new URL(url).host,
    traceparent: currentTraceparent() ?? null,
    status: 'pending' as const,
    attempts: 0,
    created_at: now,
    lease_until: 0,
  };
}
