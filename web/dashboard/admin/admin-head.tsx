/** The head of the administration pages: the title, what can be done, and the links between them. */
import type { ComponentChildren } from 'preact';
import { route } from '../../shell/route.ts';
import { PageHead } from '../components.tsx';

const PAGES = [
  ['admin', 'Overview'],
  ['admin-accounts', 'Accounts'],
  ['admin-webhooks', 'Failed webhooks'],
  ['admin-audit', 'Audit log'],
] as const;

export function AdminHead({ title, children }: { title: ComponentChildren; children?: ComponentChildren }) {
  const { page, id } = route.value;
  const current = id ? 'true' : 'page';
  return (
    <>
      <nav class="sub-nav" aria-label="Administration">
        {PAGES.map(([path, text]) => (
          <a key={path} href={`/dashboard/${path}`} aria-current={path === page ? current : undefined}>
            {text}
          </a>
        ))}
      </nav>
      <PageHead title={title}>{children}</PageHead>
    </>
  );
}

/** A link to an account, which is named by its id. */
export function AccountLink({ id }: { id: string | null }) {
  if (id === null) return null;
  return (
    <a class="break" href={`/dashboard/admin-accounts/${id}`}>
      <code>{id}</code>
    </a>
  );
}
