/** What is above every page: where to go, whose account it is, the way out. */
import { ThemeSwitch } from '../shared/theme-switch.tsx';
import { session, signOut } from './session.ts';

const PAGES = [
  ['documents', 'Documents'],
  ['templates', 'Templates'],
  ['batches', 'Batches'],
  ['usage', 'Usage'],
  ['webhooks', 'Webhooks'],
] as const;

export function Header({ here }: { here: string }) {
  return (
    <header class="top">
      <div class="top-row">
        <a class="brand" href="#/documents">
          <svg viewBox="0 0 16 20" aria-hidden="true">
            <path d="M1.5 1.5h8l5 5v12h-13z M9.5 1.5v5h5" />
          </svg>
          Platen
        </a>
        <div class="top-end">
          <span class="account hint">
            <bdi>{session.value?.account.name}</bdi>
          </span>
          <a class="top-link" href="/">
            Playground
          </a>
          <a class="top-link" href="/docs">
            API reference
          </a>
          <ThemeSwitch />
          <button type="button" class="button small" onClick={signOut}>
            Sign out
          </button>
        </div>
      </div>
      <nav aria-label="Dashboard">
        {PAGES.map(([page, title]) => (
          <a key={page} href={`#/${page}`} aria-current={page === here ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </header>
  );
}
