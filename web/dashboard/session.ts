/** The session: holds the key in this tab, and sends requests with it. */
import { signal } from '@preact/signals';
import { ProblemError, request } from '../shared/api.ts';
import { readStored, store } from '../shared/storage.ts';
import type { Account } from './records.ts';

export interface Session {
  key: string;
  account: Pick<Account, 'account_id' | 'name'>;
  /** What was read, by its path. It ends with the session. */
  cache: Map<string, unknown>;
  /** Aborts requests when the session ends. */
  ended: AbortController;
}

/** The prefix of all names in sessionStorage, so that signing out can remove them. */
const STORAGE_PREFIX = 'platen.dashboard.';
const KEY_ITEM = `${STORAGE_PREFIX}key`;

export const session = signal<Session | null>(null);
const signOutListeners = new Set<() => void>();

/** The reason why the session ended, shown at sign-in. */
export const endedBecause = signal('');

/** Throws the errors of `request`. A text that cannot be a key gets 401 without a request. */
export async function signIn(key: string, remember: boolean): Promise<void> {
  const account = await readAccount(key);
  if (remember) storeItem('key', key);
  endedBecause.value = '';
  session.value = { key, account, cache: new Map(), ended: new AbortController() };
}

/** A key that may not read its account signs in as well, and sees what it may. */
async function readAccount(key: string): Promise<Session['account']> {
  try {
    return (await (await request('/v1/account', {}, key)).json()) as Account;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.body.code !== 'insufficient_scope') throw error;
    return { account_id: key, name: 'Key with limited rights' }; // unsaved text then comes back for the same key only
  }
}

/** Forgets the key and all data that was loaded or written with it. */
export function signOut(): void {
  end('');
  for (const listener of signOutListeners) listener();
  removeItems(STORAGE_PREFIX);
}

/** Calls `listener` at every sign-out, for data that outlives its components. */
export function onSignOut(listener: () => void): void {
  signOutListeners.add(listener);
}

/** Returns the key of this tab from before a reload, if it was remembered. */
export function readRememberedKey(): string | null {
  return readItem('key');
}

/** Sends a request with the key. Throws `ProblemError`, `TypeError` without a connection, `AbortError` once signed out. */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const current = session.value;
  if (!current) throw new DOMException('signed out', 'AbortError');
  const signals = [current.ended.signal, init.signal].filter((one) => one instanceof AbortSignal);
  try {
    const response = await request(path, { ...init, signal: AbortSignal.any(signals) }, current.key);
    if (init.method === 'DELETE') current.cache.clear(); // what was deleted is not shown again
    return response;
  } catch (error) {
    if (error instanceof ProblemError && error.body.status === 401 && session.value === current) endRejectedSession();
    throw error;
  }
}

/** Forgets the key, but not what the visitor was writing. */
function endRejectedSession(): void {
  end('The service no longer accepts this key. It may have been revoked or rotated. Sign in to continue.');
  removeItems(KEY_ITEM);
}

function end(reason: string): void {
  session.value?.ended.abort();
  session.value = null;
  endedBecause.value = reason;
}

export async function read<T>(path: string, init: RequestInit = {}): Promise<T> {
  return (await (await call(path, init)).json()) as T;
}

/** Headers of a change that is refused with 412 if the template has another version. */
export function ifVersion(version: number): Record<string, string> {
  return { 'if-match': `"${version}"` };
}

/** Sends JSON. */
export function send(method: string, path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string> | undefined) };
  return call(path, { ...init, method, headers, body: JSON.stringify(body) });
}

/** Keeps a value for this tab until it is closed or the visitor signs out, if the browser allows it. */
export function storeItem(name: string, value: string): void {
  store('sessionStorage', STORAGE_PREFIX + name, value);
}

export function readItem(name: string): string | null {
  return readStored('sessionStorage', STORAGE_PREFIX + name);
}

export function removeItem(name: string): void {
  removeItems(STORAGE_PREFIX + name);
}

function removeItems(prefix: string): void {
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) sessionStorage.removeItem(name);
  } catch {
    // The storage is not allowed, so that nothing was kept.
  }
}
