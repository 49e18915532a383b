/** The root of the dashboard: it shows the sign-in or a page, with the frame that all pages share. */
import { useEffect, useState } from 'preact/hooks';
import '../shared/controls.css';
import '../shared/forms.css';
import './dashboard.css';
import { leaveDraft } from '../shared/kept-drafts.ts';
import { forgetFiles } from '../shared/save-file.ts';
import { clearToasts, Toasts } from '../shared/toast.tsx';
import { type Route, route } from '../shell/route.ts';
import { Command, ErrorMessage, Loading, PageHead } from './components.tsx';
import { hasStatus } from './format.ts';
import { Header } from './header.tsx';
import { findPage } from './pages.ts';
import { mayResume, onSignOut, resume, session, watchOtherTabs } from './session.ts';
import { SignIn } from './sign-in.tsx';

for (const forget of [clearToasts, forgetFiles, () => leaveDraft(undefined)]) onSignOut(forget);
watchOtherTabs();

export function App() {
  const { error, waiting, retry } = useStoredSession();
  const current = session.value;
  if (current) return <SignedIn key={current.keyId} />;
  if (waiting)
    return (
      <main class="page">
        <Loading what="your account" />
      </main>
    );
  if (error)
    return (
      <main class="page">
        <ErrorMessage error={error} onRetry={retry} />
      </main>
    );
  return <SignIn />;
}

/** Goes on with the session of this browser, if there is one. */
function useStoredSession(): { error: unknown; waiting: boolean; retry(): void } {
  const [error, setError] = useState<unknown>();
  const [waiting, setWaiting] = useState(!session.peek() && mayResume());
  const attempt = async () => {
    if (session.peek()) return; // begun in the editor
    setError(undefined);
    setWaiting(mayResume());
    if (!mayResume()) return;
    await resume().catch((error: unknown) => {
      if (!hasStatus(error, 401)) setError(error);
    });
    setWaiting(false);
  };
  useEffect(() => {
    attempt();
  }, []);
  return { error, waiting, retry: attempt };
}

function SignedIn() {
  const here = route.value;
  return (
    <>
      <button type="button" class="skip button" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <Header here={here.page} />
      <Connection />
      <main class="page" id="main" tabIndex={-1} key={here.arrival}>
        <CurrentPage here={here} />
      </main>
      <Toasts />
    </>
  );
}

function CurrentPage({ here: { page, id, query } }: { here: Route }) {
  const entry = findPage(page);
  const isAdministration = findPage(entry?.within ?? page)?.isAdministration;
  if (isAdministration && !session.value?.isAdministrator) return <AdministratorsOnly />;
  if (entry?.One && id) return <entry.One id={id} />;
  if (entry && !id) return <entry.Page query={query} />;
  return (
    <>
      <PageHead title="There is no such page" />
      <p>
        <a href="/dashboard/documents">Go to your documents</a>
      </p>
    </>
  );
}

function AdministratorsOnly() {
  return (
    <>
      <PageHead title="For administrators" />
      <p>This is not the key of an administrator. Sign out, and sign in with one that is.</p>
      <p>The operator of the service creates such a key with this command:</p>
      <Command text="platen keys create --administrator" />
    </>
  );
}

/** Shows a message while there is no network. */
function Connection() {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener('online', look);
    addEventListener('offline', look);
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
    };
  }, []);
  return (
    <div role="status" class="connection">
      {online ? null : <p>You are offline. This page may be out of date.</p>}
    </div>
  );
}
