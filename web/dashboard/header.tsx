/** The header of every page: navigation, account and sign-out. */
import { Brand } from '../shared/brand.tsx';
import { Button } from '../shared/button.tsx';
import { ThemeSwitch } from '../shared/theme-switch.tsx';
import { PAGES } from './pages.ts';
import { session, signOut } from './session.ts';

export function Header({ here }: { here: string }) {
  const { within } = PAGES.find(({ path }) => path === here) ?? {};
  const isAdministrator = session.value?.isAdministrator === true;
  const shown = PAGES.filter((page) => page.within === undefined && (isAdministrator || !page.isAdministration));
  return (
    <header class="top">
      <div class="top-row">
        <a class="brand" href="/dashboard/documents">
          <Brand />
        </a>
        <div class="top-end">
          <span class="account hint">
            <bdi>{session.value?.account.name}</bdi>
          </span>
          <a class="top-link" href="/">
            Playground
          </a>
          <a class="top-link" href="/docs">
            Docs
          </a>
          <ThemeSwitch />
          <Button label="Sign out" look="small" onClick={signOut} />
        </div>
      </div>
      <nav aria-label="Dashboard">
        {shown.map(({ path, title }) => (
          <a key={path} href={`/dashboard/${path}`} aria-current={path === here ? 'page' : path === within ? 'true' : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </header>
  );
}
