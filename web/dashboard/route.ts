/** The route, from the fragment of the URL, and the question before unsaved changes are lost. */
import { signal } from '@preact/signals';

export interface Route {
  page: string;
  id: string | undefined;
  query: URLSearchParams;
  /** Changes with every navigation, even to the same route. */
  arrival: number;
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

export function startRouting(): void {
  addEventListener('hashchange', () => {
    if (location.hash === hash) return;
    if (!hasUnsavedChanges?.()) return applyRoute();
    blockedHash.value = location.hash;
    history.replaceState(null, '', hash || '#/');
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
  history.replaceState(null, '', hash);
}

/** Replaces the URL when the shown object has got an id. */
export function setRouteId(id: string): void {
  route.value = { ...route.peek(), id };
  replaceQuery({});
}

function applyRoute(): void {
  hash = location.hash;
  route.value = readRoute(hash);
  scrollTo(0, 0);
}

function readRoute(from: string): Route {
  const [path = '', query = ''] = from.replace(/^#\/?/, '').split('?', 2);
  const [page = '', id] = path.split('/', 2);
  arrivals += 1;
  return { page: page || FIRST_PAGE, id: id || undefined, query: new URLSearchParams(query), arrival: arrivals };
}
