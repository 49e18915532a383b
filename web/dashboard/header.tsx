/** The header of every page: navigation, account and sign-out. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Brand } from '../shared/brand.tsx';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { deleteDrafts, readChanges } from '../shared/kept-drafts.ts';
import { TopBar } from '../shared/top-bar.tsx';
import { route } from '../shell/route.ts';
import { countText } from './format.ts';
import { useLoaded } from './loaded.ts';
import { findPage, PAGES } from './pages.ts';
import { session, signOut } from './session.ts';
import { countUnsaved, forgetUnsaved } from './unsaved-text.ts';

export function Header({ here }: { here: string }) {
  const { within } = findPage(here) ?? {};
  const isAdministrator = session.value?.isAdministrator === true;
  const shown = PAGES.filter((page) => page.within === undefined && (isAdministrator || !page.isAdministration));
  const links = useRef<HTMLElement>(null);
  useEffect(() => showCurrent(links.current), [here]);
  return (
    <header class="top">
      <TopBar
        title={
          <a class="brand" href="/dashboard/documents">
            <Brand />
          </a>
        }
        other={['Playground', '/edit']}
      >
        <span class="account hint">
          <bdi>{session.value?.account.name}</bdi>
        </span>
        <SignOut />
      </TopBar>
      <nav aria-label="Dashboard" ref={links}>
        {shown.map(({ path, title }) => (
          <a key={path} href={`/dashboard/${path}`} aria-current={path === here ? 'page' : path === within ? 'true' : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </header>
  );
}

/** Scrolls the links, of which phones show a few at a time. */
function showCurrent(links: HTMLElement | null): void {
  const current = links?.querySelector('[aria-current]')?.getBoundingClientRect();
  if (links && current) links.scrollLeft += current.left + current.width / 2 - links.clientWidth / 2;
}

/** Asks what becomes of unsaved changes of templates and settings, which this browser has kept. */
function SignOut() {
  const changes = useLoaded(() => readChanges(session.peek()?.account.account_id), [route.value.arrival]);
  /** How many unsaved changes the visitor is asked about. */
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    addEventListener('focus', changes.reload); // another tab may have written some
    return () => removeEventListener('focus', changes.reload);
  }, []);
  const kept = changes.value ?? [];
  const leaveWithout = () => {
    void deleteDrafts(kept.map(({ id }) => id));
    forgetUnsaved();
    signOut();
  };
  const ask = () => {
    const count = kept.length + countUnsaved();
    if (count) setAsked(count);
    else signOut();
  };
  return (
    <>
      <Button label="Sign out" look="small" onClick={ask} />
      {asked > 0 && (
        <Dialog title="Keep unsaved changes?" onClose={() => setAsked(0)}>
          <p>
            This browser has {countText(asked, 'unsaved change')} of templates or settings. If you keep them, they are there again
            when somebody signs in to this account. Delete them if others use this browser.
          </p>
          <div class="actions end">
            <Button label="Cancel" onClick={() => setAsked(0)} />
            <Button label="Delete them and sign out" look="danger" onClick={leaveWithout} />
            <Button label="Keep them and sign out" look="primary" onClick={signOut} />
          </div>
        </Dialog>
      )}
    </>
  );
}
