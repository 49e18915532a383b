/** Asks for an API key. Accounts cannot be created here. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Brand } from '../shared/brand.tsx';
import { ThemeSwitch } from '../shared/theme-switch.tsx';
import { useAction } from './action.ts';
import { ErrorMessage } from './components.tsx';
import { hasStatus } from './format.ts';
import { endedBecause, signIn } from './session.ts';

/** Characters that a header may contain. Any other text cannot be a key and is not sent. */
const COULD_BE_KEY = /^[!-~]+$/;
const UNKNOWN =
  'The service does not know this key. Check that you copied all of it, from plt_ on, and that it has not expired or been revoked.';

const DASHBOARD = 'The dashboard shows the documents, templates, batches and usage of one API key.';

/** `hint` says what for. */
export function SignIn({ page = 'Dashboard', hint = DASHBOARD }: { page?: string; hint?: string }) {
  return (
    <main class="sign-in">
      <SignInForm hint={hint}>
        <h1 class="brand">
          <Brand /> <span>{page}</span>
        </h1>
      </SignInForm>
      <footer class="actions">
        <a href="/edit">Playground</a>
        <a href="/docs">Documentation</a>
        <ThemeSwitch />
      </footer>
    </main>
  );
}

/** `children` is the heading. */
export function SignInForm({ hint, children }: { hint: string; children?: ComponentChildren }) {
  const [key, setKey] = useState('');
  const [refused, setRefused] = useState('');
  const action = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    setRefused('');
    action.run(async () => {
      const given = key.trim();
      if (!COULD_BE_KEY.test(given)) return setRefused(given ? UNKNOWN : 'Paste an API key.');
      await signIn(given).catch((error: unknown) => {
        if (!hasStatus(error, 401)) throw error;
        setRefused(UNKNOWN);
      });
    });
  };
  return (
    <form class="stack" onSubmit={submit}>
      {children}
      {endedBecause.value ? (
        <p class="note warn" role="status">
          {endedBecause.value}
        </p>
      ) : (
        <p class="hint">{hint}</p>
      )}
      <div class="field">
        <label for="api-key">API key</label>
        <input
          id="api-key"
          type="password"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder="plt_…"
          value={key}
          aria-invalid={refused !== ''}
          aria-describedby="api-key-error"
          onInput={(event) => {
            setKey(event.currentTarget.value);
            setRefused('');
          }}
        />
        <div id="api-key-error" class="error" role="alert">
          {refused}
        </div>
      </div>
      <ErrorMessage error={action.error} />
      <button type="submit" class="button primary" disabled={action.running}>
        {action.running ? 'Checking…' : 'Sign in'}
      </button>
      <p class="hint">
        You stay signed in, in all tabs, until you sign out or close the browser, or for 12 hours without use. The key itself is
        not kept. The operator creates one with <code>platen keys create</code>, or in a checkout with{' '}
        <code>npm run platen -- keys create</code>.
      </p>
    </form>
  );
}
