/** Verifies webhooks, which the service signs according to Standard Webhooks 1.0. */
import type { WebhookEvent } from './api.ts';
import { WebhookVerificationError } from './errors.ts';

/** The maximum difference between the time of the webhook and the clock of this machine, in seconds. */
const TOLERANCE = 300;

type Headers = Record<string, string | string[] | undefined> | { get(name: string): string | null };

/**
 * Verifies the signature of a webhook and returns its event.
 * @param secret the secret that `platen.webhooks.secret()` returns, such as `whsec_...`
 * @param headers the headers of the request, as Node or `fetch` represent them
 * @param body the body as it was received, before any parsing
 * @throws WebhookVerificationError if the signature does not match, or the webhook is more than 5 minutes old
 */
export async function verifyWebhook(secret: string, headers: Headers, body: string | Uint8Array): Promise<WebhookEvent> {
  const [id, sentAt, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => read(headers, name));
  if (!id || !sentAt || !signatures) throw new WebhookVerificationError('The request lacks the headers of a webhook');
  if (!(Math.abs(Date.now() / 1_000 - Number(sentAt)) <= TOLERANCE)) {
    throw new WebhookVerificationError('The webhook was sent more than 5 minutes ago, or in the future');
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const key = await crypto.subtle.importKey('raw', keyOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${sentAt}.${text}`);
  for (const signature of signatures.split(' ')) {
    if (signature.startsWith('v1,') && (await crypto.subtle.verify('HMAC', key, decode(signature.slice(3)), signed))) {
      return JSON.parse(text) as WebhookEvent;
    }
  }
  throw new WebhookVerificationError('The webhook is not signed with this secret');
}

function read(headers: Headers, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const value = (headers as Record<string, string | string[] | undefined>)[name];
  return Array.isArray(value) ? value.join(' ') : value;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = decode(secret.replace(/^whsec_/, ''));
  if (!key.length) throw new TypeError('The secret of webhooks is base64 after whsec_');
  return key;
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
