/**
 * The cookie with which pages of this service call the API: it holds the id of a session. It counts only for requests that a page of
 * the same origin sent, so that no other page can act for a visitor who is signed in.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSessionId } from '../../accounts/sessions.ts';

/** Browsers refuse a cookie of this name from another host, or without `Secure`, so that a neighbouring host cannot plant one. */
const SECURE_NAME = '__Host-platen-session';
const PLAIN_NAME = 'platen-session';
const READING_METHODS = ['GET', 'HEAD'];
/** What runs in a page (`Sec-Fetch-Dest`). It never comes from the API, where customers store files. */
const RUNS_IN_PAGES = /script|worker|worklet|style/;

/** Returns undefined without a valid cookie, for a request that another origin may have sent, and for one that would run the reply. */
export function readSessionId(request: FastifyRequest): string | undefined {
  if (!isFromOwnPage(request) || RUNS_IN_PAGES.test(String(request.headers['sec-fetch-dest'] ?? ''))) return undefined;
  const cookies = request.headers.cookie ?? '';
  const id = findCookie(cookies, SECURE_NAME) ?? (isSecure(request) ? undefined : findCookie(cookies, PLAIN_NAME));
  return id !== undefined && isSessionId(id) ? id : undefined;
}

/**
 * Whether a page of this service sent the request, or the visitor entered its address. Browsers state it in `Sec-Fetch-Site`, which
 * no script can set. Older ones, and all of them over plain HTTP, state `Origin` with requests that change something. For other
 * requests `SameSite=Strict` remains, and the headers that keep other pages from reading the reply.
 */
export function isFromOwnPage({ method, headers, host, server }: FastifyRequest): boolean {
  const isReading = READING_METHODS.includes(method);
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && isReading);
  if (headers.origin === undefined) return isReading;
  return URL.parse(headers.origin)?.host === host || headers.origin === URL.parse(server.publicUrl)?.origin;
}

export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, id: string): void {
  reply.header('set-cookie', toCookie(request, id));
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', `${toCookie(request, '')}; Max-Age=0`);
}

/** Keeps other pages from showing or embedding what the cookie gives access to. */
export const OWN_PAGES_ONLY = { 'cross-origin-resource-policy': 'same-origin', 'x-frame-options': 'DENY' };

/** Without an expiry, so that the browser forgets it when it is closed. */
function toCookie(request: FastifyRequest, value: string): string {
  const [name, secure] = isSecure(request) ? [SECURE_NAME, '; Secure'] : [PLAIN_NAME, ''];
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/** Whether the browser uses HTTPS, which ends at a proxy. Its requests that change something have an `Origin`. */
function isSecure({ headers, server }: FastifyRequest): boolean {
  return (server.publicUrl || headers.origin || '').startsWith('https:');
}

/** Returns undefined for a cookie that was sent twice: one of them may be of another host. */
function findCookie(cookies: string, name: string): string | undefined {
  const start = `${name}=`;
  const found = cookies.split(';').flatMap((each) => (each.trim().startsWith(start) ? [each.trim().slice(start.length)] : []));
  return found.length === 1 ? found[0] : undefined;
}
