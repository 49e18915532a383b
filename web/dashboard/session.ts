/** The session: begins and ends it, and sends requests in it. The service knows it by a cookie. */
import { signal } from '@preact/signals';
import { ProblemError, request } from '../shared/api.ts';
import { toJsonBody } from '../shared/json-body.ts';
import { SIGNED_IN } from '../shared/signed-in.ts';
import { readStored, removeStored, store } from '../shared/storage.ts';
import type { Account } from './records.ts';

/** What the service says about the key that is signed in. */
interface SessionRecord {
  key_id: string;
  account_id: string;
  name: string;
  administrator: boolean;
}

export interface Session {
  keyId: string;
  isAdministrator: boolean;
  account: Pick<Account, 'account_id' | 'name'>;
  /** What was read, by its path. It ends with the session. */
  cache: Map<string, unknown>;
  /** Aborts requests when the session ends. */
  ended: AbortController;
}

const PATH = '/v1/session';
/** The cookie, which no script can read. */
const WITH_COOKIE: RequestInit = { credentials: 'same-origin' };

const NO_COOKIE =
  'The browser did not keep the session. Allow cookies for this service, and open it at the address that its operator has set.';
const ENDED =
  'The session has ended: the key may have been revoked or rotated, or was not used for 12 hours. Sign in to continue.';
const OTHER_KEY = 'Another tab has signed in with another key. Reload this page to go on with that one, or sign in again.';
const SIGNED_OUT_ELSEWHERE = 'You have signed out in another tab.';
const NOT_SIGNED_OUT = 'The service could not be reached, so the session goes on there. To end it, sign in and out again.';

export const session = signal<Session | null>(null);
const signOutListeners = new Set<() => void>();
let signingOut: Promise<void> = Promise.resolve();
/** False if the browser does not allow the storage that tabs share. */
let hearsOtherTabs = false;

/** The reason why the session ended, shown at sign-in. */
export const endedBecause = signal('');

/** Begins a session. Throws the errors of `request`, and an `Error` if the browser keeps no cookie. */
export async function signIn(key: string): Promise<void> {
  await signingOut; // its reply clears the cookie
  await request(PATH, { ...WITH_COOKIE, method: 'POST' }, key);
  await resume().catch((error: unknown) => {
    throw isRefused(error) ? new Error(NO_COOKIE) : error;
  });
}

/** Whether this browser has begun a session that nobody has ended. */
export function mayResume(): boolean {
  return Boolean(readStored('localStorage', SIGNED_IN));
}

/** Goes on with the session of this browser. Throws the errors of `request`. */
export async function resume(): Promise<void> {
  try {
    const record = (await (await request(PATH, WITH_COOKIE)).json()) as SessionRecord;
    const account = await readAccount(record);
    store('localStorage', SIGNED_IN, record.key_id);
    hearsOtherTabs = readStored('localStorage', SIGNED_IN) === record.key_id;
    endedBecause.value = '';
    const { key_id: keyId, administrator: isAdministrator } = record;
    session.value = { keyId, isAdministrator, account, cache: new Map(), ended: new AbortController() };
  } catch (error) {
    if (isRefused(error)) store('localStorage', SIGNED_IN, '');
    throw error;
  }
}

/** A key that may not read its account signs in as well, and sees what it may. */
async function readAccount({ account_id, name }: SessionRecord): Promise<Session['account']> {
  try {
    return (await (await request('/v1/account', WITH_COOKIE)).json()) as Account;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.body.code !== 'insufficient_scope') throw error;
    return { account_id, name: name || 'Key with limited rights' };
  }
}

/** Ends the session, in all tabs, and forgets all data that was loaded or written with it. */
export function signOut(): void {
  removeStored('localStorage', SIGNED_IN);
  forgetAll('');
  signingOut = request(PATH, { ...WITH_COOKIE, method: 'DELETE', keepalive: true }).then(
    () => {},
    (error: unknown) => {
      if (!isRefused(error)) endedBecause.value = NOT_SIGNED_OUT;
    },
  );
}

function forgetAll(reason: string): void {
  end(reason);
  for (const listener of signOutListeners) listener();
}

/** Calls `listener` at every sign-out, for data that outlives its components. */
export function onSignOut(listener: () => void): void {
  signOutListeners.add(listener);
}

/** Sends a request in the session. Throws `ProblemError`, `TypeError` without a connection, `AbortError` once signed out. */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  heedOtherTabs();
  const current = session.value;
  if (!current) throw new DOMException('signed out', 'AbortError');
  const signals = [current.ended.signal, init.signal].filter((one) => one instanceof AbortSignal);
  try {
    const response = await request(path, { ...init, ...WITH_COOKIE, signal: AbortSignal.any(signals) });
    if (init.method === 'DELETE') current.cache.clear(); // what was deleted is not shown again
    return response;
  } catch (error) {
    if (isRefused(error) && session.value === current) end(ENDED); // but what the visitor was writing stays
    throw error;
  }
}

let isWatching = false;

export function watchOtherTabs(): void {
  if (isWatching) return;
  isWatching = true;
  addEventListener('storage', ({ key }) => {
    if (key === SIGNED_IN || key === null) heedOtherTabs();
  });
  addEventListener('pageshow', heedOtherTabs); // a page that comes back from memory has missed it
}

/** All tabs share one cookie, so this one must not go on if another has signed out, or has signed in with another key. */
function heedOtherTabs(): void {
  const current = session.value;
  const signedIn = readStored('localStorage', SIGNED_IN);
  if (!current || !hearsOtherTabs || signedIn === current.keyId || signedIn === '') return;
  if (signedIn === null) forgetAll(SIGNED_OUT_ELSEWHERE);
  else end(OTHER_KEY);
}

function end(reason: string): void {
  session.value?.ended.abort();
  session.value = null;
  endedBecause.value = reason;
}

function isRefused(error: unknown): boolean {
  return error instanceof ProblemError && error.body.status === 401;
}

export async function read<T>(path: string, init: RequestInit = {}): Promise<T> {
  return (await (await call(path, init)).json()) as T;
}

/** Headers of a change that is refused with 412 if the template has another version. */
export function ifVersion(version: number): Record<string, string> {
  return { 'if-match': tagOf({ version }) };
}

export function tagOf({ version }: { version: number }): string {
  return `"${version}"`;
}

/** Sends a change with the ETag of what it was made in. `onConflict` is called if there is another one by now, and nothing was changed. */
export async function sendChange(path: string, change: object, tag: string, onConflict: () => void): Promise<Response> {
  try {
    return await send('PATCH', path, change, { headers: { 'if-match': tag } });
  } catch (error) {
    if (error instanceof ProblemError && error.body.status === 412) onConflict();
    throw error;
  }
}

/** Sends JSON. */
export function send(method: string, path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string> | undefined) };
  return call(path, { ...init, method, headers, body: toJsonBody(body) });
}
