/** The search of the documentation, and the choice of colours, which holds for all pages. The pages are complete without it. */
import { h, render } from 'preact';
import { ThemeSwitch } from '../shared/theme-switch.tsx';

const MAX_RESULTS = 20;

const colours = document.querySelector('#colours');
if (colours) render(h(ThemeSwitch, {}), colours);

const narrow = matchMedia('(max-width: 60rem)');
const contents = document.querySelector<HTMLDetailsElement>('.contents');
if (contents && narrow.matches) contents.open = false;

const place = document.querySelector<HTMLElement>('search');
const form = place?.querySelector('form');
const field = form?.querySelector('input');
const results = document.querySelector<HTMLElement>('#results');
const article = document.querySelector<HTMLElement>('article');
if (place && form && field && results && article) {
  place.hidden = false;
  const load = once(async () => {
    const [{ openSearchIndex }, reply] = await Promise.all([import('./search-index.ts'), fetch('/docs/search.json')]);
    return openSearchIndex(await reply.text());
  });
  field.addEventListener('focus', () => void load());
  field.addEventListener('input', () => void search());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    results.querySelector('a')?.click();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement === document.body) {
      event.preventDefault();
      field.focus();
    } else if (event.key === 'Escape' && field.value) {
      field.value = '';
      void search();
    }
  });
  const search = async () => {
    const query = field.value.trim();
    const find = query ? await load() : undefined;
    if (query !== field.value.trim()) return;
    const found = find?.(query) ?? [];
    results.hidden = !find;
    article.hidden = !!find;
    results.replaceChildren(heading(query, found.length), list(found.slice(0, MAX_RESULTS)));
  };
}

function heading(query: string, count: number): HTMLElement {
  const element = document.createElement('h1');
  element.setAttribute('role', 'status');
  element.textContent = count ? `${count} ${count === 1 ? 'place' : 'places'} with “${query}”` : `Nothing has “${query}”`;
  return element;
}

function list(found: ReadonlyArray<{ page: string; title: string; url: string }>): HTMLElement {
  const element = document.createElement('ol');
  for (const { page, title, url } of found) {
    const link = Object.assign(document.createElement('a'), { href: url, textContent: title });
    const item = document.createElement('li');
    item.append(link);
    if (page !== title) item.append(` in ${page}`);
    link.addEventListener('click', () => {
      if (field) field.value = '';
      if (results) results.hidden = true;
      if (article) article.hidden = false;
    });
    element.append(item);
  }
  return element;
}

function once<T>(begin: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => {
    known ??= begin();
    return known;
  };
}
