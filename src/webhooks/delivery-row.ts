/** Builds the database row of a new delivery, which is a webhook or an upload. */
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

/** All columns except the due time and those that only uploads have. */
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
