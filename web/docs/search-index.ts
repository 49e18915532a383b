/** The index for searches in the documentation: made when the site is built, read in the browser. */
import MiniSearch, { type Options } from 'minisearch';

/** A part of a page. */
export interface Entry {
  page: string;
  title: string;
  text: string;
  url: string;
}

/** What is found: the stored fields of an entry. */
export type Found = Pick<Entry, 'page' | 'title' | 'url'>;

const OPTIONS: Options<Entry> = {
  idField: 'url',
  fields: ['title', 'page', 'text'],
  storeFields: ['page', 'title', 'url'],
  processTerm: foldTerm,
  searchOptions: {
    boost: { title: 4, page: 2 },
    prefix: true,
    combineWith: 'AND',
    fuzzy: (term) => (term.length > 5 ? 1 : false),
  },
};

/** Without accents and in lower case, so that `Zürich` finds `zurich`. */
function foldTerm(term: string): string {
  return term.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

export function toSearchIndex(entries: readonly Entry[]): string {
  const index = new MiniSearch(OPTIONS);
  index.addAll(entries);
  return JSON.stringify(index);
}

/** Returns a function that finds the parts of pages which have all words of a query. */
export function openSearchIndex(json: string): (query: string) => Found[] {
  const index = MiniSearch.loadJSON(json, OPTIONS);
  return (query) => index.search(query).map(({ page, title, url }) => ({ page, title, url }) as Found);
}
