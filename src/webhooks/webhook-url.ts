/** Validates the URL of a webhook: text in, the normalized URL out. */
import type { OutboundPolicy } from '../egress/policy.ts';
import { forOperator, invalidRequest, ServiceError } from '../errors.ts';

const MAX_CHARACTERS = 2_048;
export const WEBHOOK_URL_EXPECTED = `a URL that begins with https:// or http://, without name and password, of at most ${MAX_CHARACTERS.toLocaleString('en')} characters`;

/** Throws `invalid_request` for the field `path`. The egress policy is applied to host names later, at each attempt. */
export function parseWebhookUrl(given: unknown, path = 'webhook_url'): string {
  const url = typeof given === 'string' && given.length <= MAX_CHARACTERS ? URL.parse(given) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.href.length > MAX_CHARACTERS)
    throw invalidRequest([{ path, message: `must be ${WEBHOOK_URL_EXPECTED}` }]);
  return url.href;
}

/**
 * Throws `forbidden_url` if the host is an IP address that the egress policy forbids. Host names are not resolved here, because
 * they may resolve differently at the time of an attempt. The operator is told which setting decides.
 */
export function requireReachable(
  policy: OutboundPolicy,
  owner: { isOperator?: boolean },
  url: string | undefined,
  path = 'webhook_url',
): void {
  const refusal = url === undefined ? undefined : policy.literalRefusal(new URL(url));
  if (!refusal) return;
  const detail = `${path}: the network policy of this service does not allow this URL`;
  const error = new ServiceError('forbidden_url', detail, { remedy: refusal.remedy });
  throw owner.isOperator ? forOperator(error) : error;
}
