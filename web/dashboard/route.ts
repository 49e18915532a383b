/** The route, from the fragment of the URL, and the question before unsaved changes are lost. */
import { signal } from '@preact/signals';

export interface Place {
  page: string;
  id: string | undefined;
  query: URLSearchParams;
  /** Changes with every navigation, even to the same route. */
  arrival: number;
}

export const FIRST_PAGE = 'documents';

let arrivals = 0;

export const place = signal<Place>(readPlace(location.hash));
/** The route that the visitor wanted while there were unsaved changes. */
export const refusedHash = signal<string | null>(null);

/** Returns true while leaving would lose changes. */
let holds: (() => boolean) | undefined;
let hash = location.hash;

/** Asks before the visitor leaves. Call the returned function when there are no unsaved changes any more. */
export function holdPlace(wouldLose: () => boolean): () => void {
  holds = wouldLose;
  return () => {
    if (holds === wouldLose) holds = undefined;
  };
}

export function startPlaces(): void {
  addEventListener('hashchange', () => {
    if (location.hash === hash) return;
    if (!holds?.()) return arrive();
    refusedHash.value = location.hash;
    history.replaceState(null, '', hash || '#/');
  });
  addEventListener('beforeunload', (event) => {
    if (holds?.()) event.preventDefault();
  });
}

export function go(to: string): void {
  location.hash = to;
}

/** Goes to the refused route and discards the changes. */
export function goAnyway(): void {
  const to = refusedHash.value;
  refusedHash.value = null;
  holds = undefined;
  if (to !== null) go(to);
}

/** Writes the filters of a list into the URL without a new history entry. */
export function keepQuery(query: Record<string, string>): void {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given).toString();
  const { page, id } = place.peek();
  hash = `#/${page}${id ? `/${id}` : ''}${text ? `?${text}` : ''}`;
  history.replaceState(null, '', hash);
}

/** Replaces the URL when the shown object has got an id. */
export function nameHere(id: string): void {
  place.value = { ...place.peek(), id };
  keepQuery({});
}

function arrive(): void {
  hash = location.hash;
  place.value = readPlace(hash);
  scrollTo(0, 0);
}

function readPlace(from: string): Place {
  const [path = '', query = ''] = from.replace(/^#\/?/, '').split('?', 2);
  const [page = '', id] = path.split('/', 2);
  arrivals += 1;
  return { page: page || FIRST_PAGE, id: id || undefined, query: new URLSearchParams(query), arrival: arrivals };
}
