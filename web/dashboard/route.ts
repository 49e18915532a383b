/** Where the visitor is, by the part of the address after `#`; and who may keep them there. */
import { signal } from '@preact/signals';

export interface Place {
  page: string;
  id: string | undefined;
  query: URLSearchParams;
  /** Another number for every arrival, also at the same place. */
  arrival: number;
}

export const FIRST_PAGE = 'documents';

let arrivals = 0;

export const place = signal<Place>(readPlace(location.hash));
/** Where the visitor wants to go although something is not saved. */
export const refusedHash = signal<string | null>(null);

/** True while leaving would lose something. */
let holds: (() => boolean) | undefined;
let hash = location.hash;

/** Asks before the visitor leaves. Call what it returns when there is nothing to lose any more. */
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

/** Goes where the visitor wanted to, whatever is lost. */
export function goAnyway(): void {
  const to = refusedHash.value;
  refusedHash.value = null;
  holds = undefined;
  if (to !== null) go(to);
}

/** Writes the filters of a list into the address, as the same place. */
export function keepQuery(query: Record<string, string>): void {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given).toString();
  const { page, id } = place.peek();
  hash = `#/${page}${id ? `/${id}` : ''}${text ? `?${text}` : ''}`;
  history.replaceState(null, '', hash);
}

/** What is shown has got an id: the same place by another address, which takes the place of the one before. */
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
