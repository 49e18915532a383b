/** The root of the dashboard: it shows the sign-in or a page, with the frame that all pages share. */
import { useEffect, useState } from 'preact/hooks';
import { ProblemError } from '../shared/api.ts';
import { Button } from '../shared/button.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { clearToasts, Toasts } from '../shared/toast.tsx';
import { BatchPage } from './batch-page.tsx';
import { BatchesPage } from './batches-page.tsx';
import { Empty, ErrorMessage, Loading } from './components.tsx';
import { DocumentPage } from './document-page.tsx';
import { DocumentsPage } from './documents-page.tsx';
import { Header } from './header.tsx';
import { lazyPage } from './lazy-page.tsx';
import { blockedHash, goAnyway, type Route, route } from './route.ts';
import { onSignOut, readRememberedKey, session, signIn, signOut } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { TemplatesPage } from './templates-page.tsx';
import { UsagePage } from './usage-page.tsx';
import { WebhooksPage } from './webhooks-page.tsx';

/** This page is loaded separately, because its editors are as large as everything else. */
const TemplatePage = lazyPage('the editor', async () => (await import('./template-page.tsx')).TemplatePage);

const RequestsPage = lazyPage('the requests', async () => (await import('./requests-page.tsx')).RequestsPage);

const KeysPage = lazyPage('the keys', async () => (await import('./keys-page.tsx')).KeysPage);
const AssemblePage = lazyPage('the pages', async () => (await import('./assembly/assemble-page.tsx')).AssemblePage);

onSignOut(clearToasts);

export function App() {
  const { error, waiting, retry } = useRememberedKey();
  const current = session.value;
  if (current) return <SignedIn key={current.key} />;
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

/** Signs in with the remembered key of this tab, if there is one. A key that is not valid any more is forgotten. */
function useRememberedKey(): { error: unknown; waiting: boolean; retry(): void } {
  const [error, setError] = useState<unknown>();
  const [waiting, setWaiting] = useState(readRememberedKey() !== null);
  const attempt = async () => {
    const key = readRememberedKey();
    setError(undefined);
    setWaiting(key !== null);
    if (key === null) return;
    try {
      await signIn(key, true);
    } catch (error) {
      if (error instanceof ProblemError && error.body.status === 401) signOut();
      else setError(error);
    }
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
        <Page here={here} />
      </main>
      {blockedHash.value !== null && <Leaving />}
      <Toasts />
    </>
  );
}

function Page({ here: { page, id, query } }: { here: Route }) {
  switch (page) {
    case 'documents':
      return id ? <DocumentPage id={id} /> : <DocumentsPage query={query} />;
    case 'templates':
      return id ? <TemplatePage id={id === 'new' ? null : id} /> : <TemplatesPage />;
    case 'batches':
      return id ? <BatchPage id={id} /> : <BatchesPage />;
    case 'assemble':
      return <AssemblePage />;
    case 'requests':
      return <RequestsPage id={id} query={query} />;
    case 'usage':
      return <UsagePage query={query} />;
    case 'keys':
      return <KeysPage />;
    case 'webhooks':
      return <WebhooksPage />;
    default:
      return (
        <Empty title="There is no such page">
          <p>
            <a href="#/documents">Go to your documents</a>
          </p>
        </Empty>
      );
  }
}

function Leaving() {
  const stay = () => {
    blockedHash.value = null;
  };
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <p>Your changes on this page are not saved.</p>
      <div class="actions end">
        <Button label="Stay" onClick={stay} />
        <Button label="Leave" look="danger primary" onClick={goAnyway} />
      </div>
    </Dialog>
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
