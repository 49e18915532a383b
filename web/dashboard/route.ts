/** The route, from the fragment of the URL, and the question before unsaved changes are lost. */
import { signal } from '@preact/signals';

export interface Route {
  page: string;
  id: string | undefined;
  query: URLSearchParams;
  /** Changes with every navigation, even to the same route. */
  arrival: number;
  /** The position at which the visitor left this entry of the history. Undefined for a new entry. */
  returnTo: number | undefined;
}

const FIRST_PAGE = 'documents';

let arrivals = 0;

export const route = signal<Route>(readRoute(location.hash));
/** The route that the visitor wanted while there were unsaved changes. */
export const blockedHash = signal<string | null>(null);

/** Returns true while leaving would lose changes. */
let hasUnsavedChanges: (() => boolean) | undefined;
let hash = location.hash;

/** Asks before the visitor leaves. Call the returned function when there are no unsaved changes any more. */
export function guardUnsavedChanges(wouldLose: () => boolean): () => void {
  hasUnsavedChanges = wouldLose;
  return () => {
    if (hasUnsavedChanges === wouldLose) hasUnsavedChanges = undefined;
  };
}

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
  addEventListener('hashchange', () => {
    if (location.hash === hash) return;
    if (!hasUnsavedChanges?.()) return applyRoute();
    blockedHash.value = location.hash;
    history.replaceState({ entry }, '', hash || '#/');
  });
  addEventListener('beforeunload', (event) => {
    if (hasUnsavedChanges?.()) event.preventDefault();
  });
}

export function go(to: string): void {
  location.hash = to;
}

/** Goes to the refused route and discards the changes. */
export function goAnyway(): void {
  const to = blockedHash.value;
  blockedHash.value = null;
  hasUnsavedChanges = undefined;
  if (to !== null) go(to);
}

/** Writes the filters of a list into the URL without a new history entry. */
export function replaceQuery(query: Record<string, string>): void {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given).toString();
  const { page, id } = route.peek();
  hash = `#/${page}${id ? `/${id}` : ''}${text ? `?${text}` : ''}`;
  history.replaceState(history.state, '', hash);
}

/** Replaces the URL when the shown object has got an id. */
export function setRouteId(id: string): void {
  route.value = { ...route.peek(), id };
  replaceQuery({});
}

function applyRoute(): void {
  left.set(entry, scrollY);
  hash = location.hash;
  const returnTo = markEntry();
  route.value = readRoute(hash, returnTo);
  if (returnTo === undefined) scrollTo(0, 0);
  else requestAnimationFrame(() => requestAnimationFrame(() => scrollTo(0, returnTo))); // when the page has been rendered
}

/** Numbers a new entry of the history. Returns where the visitor left an earlier one. */
function markEntry(): number | undefined {
  const number = (history.state as { entry?: number } | null)?.entry;
  const returnTo = number === undefined ? undefined : left.get(number);
  entry = returnTo === undefined || number === undefined ? ++entries : number;
  history.replaceState({ entry }, '');
  return returnTo;
}

function readRoute(from: string, returnTo?: number): Route {
  const [path = '', query = ''] = from.replace(/^#\/?/, '').split('?', 2);
  const [page = '', id] = path.split('/', 2);
  arrivals += 1;
  return { page: page || FIRST_PAGE, id: id || undefined, query: new URLSearchParams(query), arrival: arrivals, returnTo };
}
