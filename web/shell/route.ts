/** The route, from the path of the URL: pages of the application follow each other without being loaded again. */
import { signal } from '@preact/signals';

export type Area = 'editor' | 'dashboard';

export interface Route {
  area: Area;
  /** Of the dashboard. */
  page: string;
  id: string | undefined;
  query: URLSearchParams;
  /** Changes with every navigation. */
  arrival: number;
  /** The position at which the visitor left this entry of the history. Undefined for a new entry. */
  returnTo: number | undefined;
}

/** The parts of a URL that name a route, as a link and `location` have them. */
type Place = Pick<URL, 'pathname' | 'search' | 'hash'>;

const BASE = '/dashboard';
const EDITOR = '/edit';
const FIRST_PAGE = 'documents';

let arrivals = 0;
/** The path and query of the shown route. */
let address = addressOf(location);

export const route = signal<Route>(readRoute());
/** The scroll positions of the entries of the history that the visitor has left, by their number in `history.state`. */
const left = new Map<number, number>();
let entry = 0;
let entries = 0;

/** Whether the visitor has come back, so that lists may show what they had loaded. */
export function isReturn(): boolean {
  return route.peek().returnTo !== undefined;
}

export function startRouting(): void {
  history.scrollRestoration = 'manual'; // lists are shown again before their rows are loaded
  markEntry();
  addEventListener('popstate', arrive);
  addEventListener('hashchange', arrive);
  document.addEventListener('click', followLink);
}

const asked = new Set<() => boolean>();

/** Lets the browser ask before the page is left, as long as that would lose something. Returns what ends it. */
export function askBeforeLeaving(wouldLose: () => boolean): () => void {
  const ask = (event: Event) => wouldLose() && event.preventDefault();
  asked.add(wouldLose);
  addEventListener('beforeunload', ask);
  return () => {
    asked.delete(wouldLose);
    removeEventListener('beforeunload', ask);
  };
}

function mustAsk(): boolean {
  return [...asked].some((wouldLose) => wouldLose());
}

/** Goes to a path of the application, with a new entry of the history. `evenIfShown` shows it anew. */
export function go(to: string, evenIfShown = false): void {
  if (mustAsk()) {
    location.assign(to);
  } else if (to !== address || evenIfShown) {
    history.pushState(null, '', to);
    applyRoute();
  }
}

/** Writes the filters of a list into the URL without a new history entry. */
export function replaceQuery(query: Record<string, string>): void {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given).toString();
  const { page, id } = route.peek();
  address = `${BASE}/${page}${id ? `/${id}` : ''}${text ? `?${text}` : ''}`;
  history.replaceState(history.state, '', address);
}

/** Names the page that is shown by another URL. A fragment belongs to the page. */
export function replaceAddress(to: string): void {
  address = addressOf(new URL(to, location.origin));
  history.replaceState(history.state, '', to);
}

/** The browser has changed the URL: Back, Forward, or a fragment. */
function arrive(): void {
  if (addressOf(location) === address) return;
  if (mustAsk()) location.reload();
  else applyRoute();
}

/** Follows a link to another route without loading the page again. */
function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest('a');
  const isPlain = !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || link.target || link.origin !== location.origin) return;
  if (link.pathname !== EDITOR && link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
  if (link.pathname === EDITOR && link.hash) return; // a shared draft
  event.preventDefault();
  go(addressOf(link));
}

function applyRoute(): void {
  left.set(entry, scrollY);
  address = addressOf(location);
  const returnTo = markEntry();
  route.value = readRoute(returnTo);
  if (returnTo === undefined) scrollTo(0, 0);
  else requestAnimationFrame(() => requestAnimationFrame(() => scrollTo(0, returnTo))); // when the page has been rendered
}

/** Numbers a new entry of the history. Returns where the visitor left an earlier one. */
function markEntry(): number | undefined {
  const number = (history.state as { entry?: number } | null)?.entry;
  const returnTo = number === undefined ? undefined : left.get(number);
  const hash = location.hash.startsWith('#/') ? '' : location.hash;
  entry = returnTo === undefined || number === undefined ? ++entries : number;
  history.replaceState({ entry }, '', hash ? address + hash : address);
  return returnTo;
}

/** Routes used to be fragments. Links to those are in bookmarks and mails. */
function addressOf({ pathname, search, hash }: Place): string {
  return hash.startsWith('#/') ? `${BASE}/${hash.slice('#/'.length)}` : pathname + search;
}

function readRoute(returnTo?: number): Route {
  const { pathname, searchParams } = new URL(address, location.origin);
  const area = pathname === BASE || pathname.startsWith(`${BASE}/`) ? 'dashboard' : 'editor';
  const [, , page = '', id] = pathname.split('/', 4); // the first two are empty and `dashboard`
  arrivals += 1;
  return { area, page: page || FIRST_PAGE, id: id || undefined, query: searchParams, arrival: arrivals, returnTo };
}
